@NullMarked
package io.egress.flow;

import org.jspecify.annotations.NullMarked;
