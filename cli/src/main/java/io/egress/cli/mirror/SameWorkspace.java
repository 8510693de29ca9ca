package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.time.Duration;
import java.util.UUID;

/** Keeps the captures of another workspace out of a mirror. */
final class SameWorkspace {
  private SameWorkspace() {}

  /** Fails if the API key is of another workspace than {@code copies}. */
  static void require(CaptureSource source, Copies copies) {
    try {
      source
          .page(MirrorFeed.STREAM, null, 1, Duration.ZERO)
          .entries()
          .forEach(entry -> require(entry, copies));
    } catch (CaptureSource.OtherHistoryException impossible) {
      throw new IllegalStateException("a list without a cursor has no history", impossible);
    }
  }

  static void require(Page.Entry entry, Copies copies) {
    UUID expected = copies.state().workspace();
    CaptureDocument document = entry.document();
    if (document != null && expected != null && !document.workspace().equals(expected)) {
      throw new MirrorException(
          "EGRESS_API_KEY is a key of workspace %s, but %s is a mirror of workspace %s; choose another %s"
              .formatted(document.workspace(), copies.name(), expected, copies.kind()));
    }
  }
}
