/** The service's own metrics. */
@NullMarked
package io.egress.platform.metrics;

import org.jspecify.annotations.NullMarked;
