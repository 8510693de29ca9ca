/** The formats and the appender of log lines, configured in {@code logback.xml}. */
@NullMarked
package io.egress.platform.log;

import org.jspecify.annotations.NullMarked;
