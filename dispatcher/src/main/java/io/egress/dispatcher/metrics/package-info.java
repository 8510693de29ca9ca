/** What the dispatcher measures of itself. */
@NullMarked
package io.egress.dispatcher.metrics;

import org.jspecify.annotations.NullMarked;
