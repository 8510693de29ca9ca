@NullMarked
package io.egress.lifecycle;

import org.jspecify.annotations.NullMarked;
