package io.egress.webhook.send;

/** A rendered document up to its {@code emitted_at}, shared by its attempts. Read-only. */
public final class DocumentHead {
  private final long revision;
  private final byte[] bytes;

  public DocumentHead(long revision, byte[] bytes) {
    this.revision = revision;
    this.bytes = bytes;
  }

  /** Of the capture. */
  public long revision() {
    return revision;
  }

  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return bytes.length;
  }
}
