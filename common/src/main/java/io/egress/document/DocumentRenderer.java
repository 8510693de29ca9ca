package io.egress.document;

import io.egress.capture.Capture;

/**
 * Renders a capture up to and with {@code "emitted_at":"}: the instant and {@link #TAIL} follow
 * when the document is sent.
 */
public interface DocumentRenderer {
  /** What ends a document after the instant of its sending. */
  String TAIL = "\"}";

  /**
   * Rises with every change to what {@link #render} writes. A stored document of an earlier version
   * is stale.
   */
  short version();

  byte[] render(Capture capture);
}
