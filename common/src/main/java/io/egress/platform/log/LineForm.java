package io.egress.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;

/** Formats an event, without the line end. */
interface LineForm {
  String write(ILoggingEvent event);
}
