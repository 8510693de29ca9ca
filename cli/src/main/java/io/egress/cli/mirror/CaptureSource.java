package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The workspace that a mirror copies. */
interface CaptureSource {
  /** A cursor is not of the list's history. */
  final class OtherHistoryException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** A page that would be empty is held for {@code wait}. */
  Page page(MirrorFeed feed, @Nullable String after, int limit, Duration wait)
      throws OtherHistoryException;

  /** When each capture was changed last; empty for one that never was. */
  Map<UUID, Optional<Instant>> inventory();

  /** Empty for a capture that was erased. */
  Optional<CaptureDocument> capture(UUID id);
}
