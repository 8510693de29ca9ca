/** What the service counts and measures of itself. */
@NullMarked
package io.egress.metrics;

import org.jspecify.annotations.NullMarked;
