@NullMarked
package io.egress.send;

import org.jspecify.annotations.NullMarked;
