/** Tracing: the path of a capture as the spans of one trace. */
@NullMarked
package io.egress.trace;

import org.jspecify.annotations.NullMarked;
