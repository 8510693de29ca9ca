package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.document.CaptureTable;
import io.egress.document.Fragment;
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
