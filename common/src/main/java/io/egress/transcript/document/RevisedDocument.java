package io.egress.transcript.document;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/** A rendered document and the revision of its capture. */
public record RevisedDocument(UUID captureId, long revision, Fragment fragment) {
  public RevisedDocument {
    requireNonNull(captureId, "captureId is null");
    requireNonNull(fragment, "fragment is null");
  }
}
