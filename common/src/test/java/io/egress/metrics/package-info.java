@NullMarked
package io.egress.metrics;

import org.jspecify.annotations.NullMarked;
