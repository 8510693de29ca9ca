/** The service's own metrics. */
@NullMarked
package io.egress.metrics;

import org.jspecify.annotations.NullMarked;
