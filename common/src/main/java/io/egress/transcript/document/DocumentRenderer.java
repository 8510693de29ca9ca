package io.egress.transcript.document;

import io.egress.transcript.capture.Capture;

/**
 * Renders a capture up to and including {@code "emitted_at":"}; the instant and {@link #TAIL} are
 * added when the document is sent. Summary and segments are stored nowhere else: each version must
 * show them as they were given, so that {@link DocumentText} can read them.
 */
public interface DocumentRenderer {
  /** The end of a document, after the time of sending. */
  String TAIL = "\"}";

  /**
   * Incremented with every change to the output of {@link #render}. Stored documents of earlier
   * versions are stale.
   */
  short version();

  byte[] render(Capture capture);
}
