package io.egress.webhook.send;

import io.vertx.core.Future;

/** An attempt in progress. */
public interface Sending {
  /** Never fails: failures are outcomes. */
  Future<Outcome> outcome();

  /**
   * Ends the attempt immediately. The outcome is {@link Outcome.Aborted} unless the status line had
   * already arrived. Does nothing once there is an outcome.
   */
  void abort(String reason);
}
