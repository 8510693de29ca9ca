package io.egress.api.hook;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.Fragment;
import org.jspecify.annotations.Nullable;

/**
 * A capture to be stored, with everything computed from it.
 *
 * @param entry the capture as received
 * @param shown the capture with the names it will probably be shown with
 * @param document the document of {@code shown}
 * @param traceparent the request's trace, null if not traced
 */
record IncomingCapture(
    CaptureTable.Entry entry, Capture shown, Fragment document, @Nullable String traceparent) {
  Capture capture() {
    return entry.capture();
  }
}
