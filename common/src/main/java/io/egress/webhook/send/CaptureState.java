package io.egress.webhook.send;

/**
 * Which capture a webhook is about, in which state: receivers see what they miss, and drop what is
 * older than what they have.
 *
 * @param position its place in its workspace's stream; 0 for a test
 * @param revision increases with everything that changes what is shown of it
 */
public record CaptureState(long position, long revision) {
  public static final CaptureState OF_TEST = new CaptureState(0, 1);
}
