package io.egress.transcript.document;

import java.util.UUID;

/** A rendered document and the revision of its capture. */
public record RevisedDocument(UUID captureId, long revision, Fragment fragment) {}
