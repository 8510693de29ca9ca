package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.capture.SegmentsJson;
import io.egress.document.Fragment;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A capture to be stored, with everything computed from it.
 *
 * @param capture the capture as received
 * @param shown the capture with the names it will probably be shown with
 * @param document the document of {@code shown}
 * @param traceparent the request's trace, null if not traced
 */
record IncomingCapture(
    Capture capture,
    Capture shown,
    String segmentsJson,
    Buffer digest,
    Fragment document,
    @Nullable String traceparent) {
  static IncomingCapture of(
      Capture capture, Capture shown, Fragment document, @Nullable String traceparent) {
    String segmentsJson = SegmentsJson.write(capture.segments());
    return new IncomingCapture(
        capture,
        shown,
        segmentsJson,
        CaptureDigest.of(capture, segmentsJson),
        document,
        traceparent);
  }

  boolean spoken() {
    return !capture.segments().isEmpty();
  }
}
