/** What becomes of a capture as the spans of one trace. */
@NullMarked
package io.egress.trace;

import org.jspecify.annotations.NullMarked;
