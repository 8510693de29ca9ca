package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.capture.SegmentsJson;
import io.vertx.core.buffer.Buffer;

/** A capture on its way into the database, with what is computed from it once. */
record IncomingCapture(Capture capture, String segmentsJson, Buffer digest) {
  static IncomingCapture of(Capture capture) {
    String segmentsJson = SegmentsJson.write(capture.segments());
    return new IncomingCapture(capture, segmentsJson, CaptureDigest.of(capture, segmentsJson));
  }

  boolean spoken() {
    return !capture.segments().isEmpty();
  }
}
