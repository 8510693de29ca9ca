@NullMarked
package io.egress.capture;

import org.jspecify.annotations.NullMarked;
