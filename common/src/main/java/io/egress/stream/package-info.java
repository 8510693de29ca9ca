@NullMarked
package io.egress.stream;

import org.jspecify.annotations.NullMarked;
