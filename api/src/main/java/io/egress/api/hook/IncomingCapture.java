package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.capture.SegmentsJson;
import io.egress.document.Fragment;
import io.vertx.core.buffer.Buffer;

/**
 * A capture on its way into the database, with what is computed from it once.
 *
 * @param document of the capture with the names as it says them, which mostly are the names that it
 *     will be shown with
 */
record IncomingCapture(Capture capture, String segmentsJson, Buffer digest, Fragment document) {
  /** Takes a millisecond or more: not for an event loop. */
  static IncomingCapture of(Capture capture) {
    String segmentsJson = SegmentsJson.write(capture.segments());
    return new IncomingCapture(
        capture, segmentsJson, CaptureDigest.of(capture, segmentsJson), Fragment.of(capture));
  }

  boolean spoken() {
    return !capture.segments().isEmpty();
  }
}
