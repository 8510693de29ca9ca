package io.egress.webhook.send;

import static java.util.Objects.requireNonNull;

import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.document.Fragment;
import org.jspecify.annotations.Nullable;

/**
 * A rendered document up to its {@code emitted_at}, shared by its attempts. Its text cannot be
 * changed; one that was stored is inflated when somebody asks for its text.
 */
public final class DocumentHead {
  private final long revision;
  private final @Nullable Fragment stored;
  private volatile byte @Nullable [] text;

  public DocumentHead(long revision, Fragment stored) {
    this.revision = revision;
    this.stored = stored;
  }

  public DocumentHead(long revision, byte[] text) {
    this.revision = revision;
    this.stored = null;
    this.text = text;
  }

  /** Of the capture. */
  public long revision() {
    return revision;
  }

  /** Throws if what was stored is damaged. */
  public byte[] text() {
    byte[] known = text;
    if (known == null) {
      known = requireNonNull(stored).inflate();
      text = known;
    }
    return known;
  }

  /** Its text alone, without what was stored. */
  public DocumentHead asText() {
    return stored == null ? this : new DocumentHead(revision, text());
  }

  /** Whether it can be sent as it was stored. */
  public boolean isStored() {
    return stored != null;
  }

  /** Whether asking for the text takes no time. */
  public boolean isInflated() {
    return text != null;
  }

  /** Of the text. */
  public int length() {
    return stored == null ? text().length : Math.toIntExact(stored.length());
  }

  /** Of the text, or of what is sent compressed. */
  int length(boolean compressed) {
    return compressed && stored != null ? stored.deflated().length() : length();
  }

  /** The most memory that it can come to take. */
  public int memory() {
    return length() + (stored == null ? 0 : stored.deflated().length());
  }

  /** As it was stored; nothing is inflated. */
  void writeTo(BodyEncoder body) {
    if (stored == null) {
      body.literal(text());
    } else {
      body.fragment(stored);
    }
  }
}
