package io.egress.http;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How long a listener waits: for requests in flight when it stops, for something to happen on an
 * idle connection, and for a connection on which nothing it writes gets through. The latter is what
 * ends a client that stopped reading: a plain close would wait for it to read on. It has to be
 * longer than any answer takes to begin. Zero waits for ever.
 */
public record ListenerLimits(Duration shutdownMax, Duration idleMax, Duration writeIdleMax) {
  public ListenerLimits {
    requireNonNull(shutdownMax, "shutdownMax is null");
    requireNonNull(idleMax, "idleMax is null");
    requireNonNull(writeIdleMax, "writeIdleMax is null");
  }
}
