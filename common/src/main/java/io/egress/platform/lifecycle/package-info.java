@NullMarked
package io.egress.platform.lifecycle;

import org.jspecify.annotations.NullMarked;
