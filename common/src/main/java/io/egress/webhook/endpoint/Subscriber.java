package io.egress.webhook.endpoint;

import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that is not deleted, as one of those to which captures are owed when they enter the
 * stream.
 *
 * @param behind null if it never was
 * @param rests whether it is sent pages, and none is due
 */
public record Subscriber(
    UUID id, UUID workspaceId, boolean paused, Owed owed, @Nullable Behind behind, boolean rests) {
  /**
   * A part of the stream that is published to the endpoint from the stream, because it is or was
   * behind.
   *
   * @param to null if the endpoint is still behind
   */
  public record Behind(long from, @Nullable Long to) {
    private boolean contains(long position) {
      return position >= from && (to == null || position <= to);
    }
  }

  /** Whether fan-out publishes the capture to the endpoint, and nothing else does. */
  public boolean getsLive(EnteredCapture capture) {
    return owed.isLive(capture.position())
        && (behind == null || !behind.contains(capture.position()))
        && owed.admits(capture);
  }

  /** Whether it is sent pages, and has to be told that there is something for the next one. */
  public boolean isWokenBy(EnteredCapture capture) {
    return rests && !paused && owed.admits(capture);
  }
}
