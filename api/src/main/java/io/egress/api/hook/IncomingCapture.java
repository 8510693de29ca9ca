package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.capture.SegmentsJson;
import io.egress.document.Fragment;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A capture to be stored, with everything that is computed from it once.
 *
 * @param capture as it was put
 * @param shown with the names that it will probably be shown with
 * @param document of {@code shown}
 * @param traceparent of the request that brought it, where that is traced
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
