package io.egress.capture;

import static java.util.Objects.requireNonNull;

/** A capture's state together with the revision that it is the state of. */
public record RevisedCapture(Capture capture, long revision) {
  public RevisedCapture {
    requireNonNull(capture, "capture is null");
  }
}
