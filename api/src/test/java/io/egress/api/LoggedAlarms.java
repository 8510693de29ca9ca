package io.egress.api;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** The warnings and errors that are logged while it is open. */
public final class LoggedAlarms implements AutoCloseable {
  private static final Logger ROOT = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          // Not those of the client that tests call the service with.
          if (event.getLevel().isGreaterOrEqual(Level.WARN)
              && !event.getLoggerName().contains("HttpClient")) {
            lines.add(
                event.getLoggerName()
                    + ": "
                    + event.getFormattedMessage()
                    + ThrowableProxyUtil.asString(event.getThrowableProxy()));
          }
        }
      };

  public LoggedAlarms() {
    appender.start();
    ROOT.addAppender(appender);
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    ROOT.detachAppender(appender);
  }
}
