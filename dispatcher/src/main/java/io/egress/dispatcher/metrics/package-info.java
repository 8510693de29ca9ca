/** The dispatcher's own metrics. */
@NullMarked
package io.egress.dispatcher.metrics;

import org.jspecify.annotations.NullMarked;
