/** Exporting of spans, and the spans of requests. */
@NullMarked
package io.egress.platform.trace;

import org.jspecify.annotations.NullMarked;
