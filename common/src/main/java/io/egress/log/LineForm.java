package io.egress.log;

import ch.qos.logback.classic.spi.ILoggingEvent;

/** How an event is written, without the end of its line. */
interface LineForm {
  String write(ILoggingEvent event);
}
