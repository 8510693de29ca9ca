package io.egress.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Arrays;

/**
 * Drops what Vert.x reports when the timeout of a request for a connection comes after its result
 * (vertx-sql-client issues 1567 and 1706): the caller has the result, and nothing is lost.
 */
public final class PoolRaces extends Filter<ILoggingEvent> {
  private static final String POOL = "io.vertx.sqlclient.impl.pool.SqlConnectionPool";

  @Override
  public FilterReply decide(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return thrown != null && isCompletedTwice(thrown) && isOfThePool(thrown)
        ? FilterReply.DENY
        : FilterReply.NEUTRAL;
  }

  private static boolean isCompletedTwice(IThrowableProxy thrown) {
    String message = thrown.getMessage();
    return thrown.getClassName().equals(IllegalStateException.class.getName())
        && message != null
        && message.endsWith(" already completed");
  }

  private static boolean isOfThePool(IThrowableProxy thrown) {
    return Arrays.stream(thrown.getStackTraceElementProxyArray())
        .anyMatch(frame -> frame.getStackTraceElement().getClassName().startsWith(POOL));
  }
}
