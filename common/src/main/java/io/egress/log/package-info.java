/** How lines of the log are written; {@code logback.xml} puts it together. */
@NullMarked
package io.egress.log;

import org.jspecify.annotations.NullMarked;
