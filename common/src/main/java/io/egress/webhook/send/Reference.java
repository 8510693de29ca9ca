package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.UUID;

/** The data of a webhook that says where a document is. */
public final class Reference {
  private Reference() {}

  /** For {@link Envelope#compose}, in place of a document. */
  public static byte[] head(UUID workspaceId, UUID captureId) {
    return """
    {"id":"%s","workspace_id":"%s","url":"/api/v1/captures/%s","emitted_at":"\
    """
        .formatted(captureId, workspaceId, captureId)
        .getBytes(US_ASCII);
  }
}
