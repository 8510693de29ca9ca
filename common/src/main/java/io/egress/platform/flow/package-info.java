@NullMarked
package io.egress.platform.flow;

import org.jspecify.annotations.NullMarked;
