package io.egress.transcript.capture;

import static java.util.Objects.requireNonNull;

/** The state of a capture at a revision. */
public record RevisedCapture(Capture capture, long revision) {
  public RevisedCapture {
    requireNonNull(capture, "capture is null");
  }
}
