package io.egress.webhook.send;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which capture a webhook is about, in which state: receivers see what they miss, and drop what is
 * older than what they have.
 *
 * @param position its place in its workspace's stream
 * @param revision increases with everything that changes what is shown of it; null of a page, whose
 *     captures have one each
 */
public record CaptureState(UUID id, long position, @Nullable Long revision) {
  /** No capture of a stream has it. */
  public static final long POSITION_OF_TEST = 0;

  public static CaptureState ofTest(UUID id) {
    return new CaptureState(id, POSITION_OF_TEST, 1L);
  }
}
