package io.egress.platform.http;

import java.time.Duration;

/**
 * Timeouts of a listener: for requests in flight when it stops, for idle connections, and for
 * connections whose output is stuck. The last one ends clients that stopped reading: a plain close
 * would wait for them to read on. It must be longer than any response takes to begin. Zero disables
 * it. {@code answerMax} is how long a client waits for the service: see {@link RequestLifetime}.
 */
public record ListenerLimits(
    Duration shutdownMax, Duration idleMax, Duration writeIdleMax, Duration answerMax) {
  public ListenerLimits(Duration shutdownMax, Duration idleMax, Duration writeIdleMax) {
    this(shutdownMax, idleMax, writeIdleMax, RequestLifetime.ANSWER_MAX);
  }
}
