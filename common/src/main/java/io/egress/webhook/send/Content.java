package io.egress.webhook.send;

import io.egress.transcript.stream.ChangeText;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the data of a webhook is made of. A head is rendered JSON up to and including {@code
 * "emitted_at":"}, which the envelope completes; the endpoints that get the same may share it.
 */
public sealed interface Content {
  /** How much memory a body with this content takes, roughly. */
  int length(boolean compressed);

  /** One document, or something else that ends like one. */
  record Document(DocumentHead head) implements Content {
    /** One that is not stored. */
    public Document(byte[] text) {
      this(new DocumentHead(0, text));
    }

    @Override
    public int length(boolean compressed) {
      return head.length(compressed);
    }
  }

  /**
   * A page.
   *
   * @param after the cursor before it; null at the beginning of the feed
   * @param entries none if all of them were erased since the page may have been sent before
   * @param end the cursor after it
   * @param hasNext whether there was more when this page became due
   */
  record Page(Feed feed, @Nullable Cursor after, List<Entry> entries, Cursor end, boolean hasNext)
      implements Content {
    private static final int BYTES_OF_PAGE = 512;
    private static final int BYTES_BETWEEN = 32;

    /**
     * A capture.
     *
     * @param before what is before its document, such as how it has changed
     * @param head of its document; null if it has none
     * @param behind what is after it
     */
    public record Entry(UUID captureId, String before, @Nullable DocumentHead head, String behind) {
      public static Entry ofStream(UUID captureId, DocumentHead head) {
        return new Entry(captureId, "", head, "");
      }

      /** Of the changes. {@code head} is null if the capture was erased, for {@code reason}. */
      public static Entry ofChange(
          UUID captureId, Instant changedAt, @Nullable DocumentHead head, @Nullable String reason) {
        long revision = head == null ? 0 : head.revision();
        return new Entry(
            captureId,
            ChangeText.before(captureId, changedAt, revision, reason),
            head,
            ChangeText.AFTER);
      }

      private int length(boolean compressed) {
        return before.length() + (head == null ? 0 : head.length(compressed)) + behind.length();
      }

      private Entry asReference(UUID workspaceId) {
        return head == null
            ? this
            : new Entry(
                captureId,
                before,
                new DocumentHead(head.revision(), Reference.head(workspaceId, captureId)),
                behind);
      }
    }

    public Page {
      entries = List.copyOf(entries);
    }

    @Override
    public int length(boolean compressed) {
      return lengthWith(
          entries.stream().mapToLong(entry -> entry.length(compressed)).sum(), entries.size());
    }

    /** That of a page with so many captures, of so many bytes together. */
    public static int lengthWith(long bytes, int captures) {
      return Math.toIntExact(bytes + (long) captures * BYTES_BETWEEN + BYTES_OF_PAGE);
    }

    Page asReferences(UUID workspaceId) {
      return new Page(
          feed,
          after,
          entries.stream().map(entry -> entry.asReference(workspaceId)).toList(),
          end,
          hasNext);
    }

    /** Its JSON. */
    void writeTo(BodyParts body, String emittedAt) {
      String cursor = after == null ? "null" : "\"" + after.encode() + "\"";
      StringBuilder between =
          new StringBuilder("{\"after\":%s,\"%s\":[".formatted(cursor, feed.word()));
      boolean isFirst = true;
      for (Entry entry : entries) {
        between.append(isFirst ? "" : ",").append(entry.before());
        if (entry.head() != null) {
          body.text(between.toString());
          body.document(entry.head());
          between.setLength(0);
          between.append(emittedAt).append("\"}");
        }
        between.append(entry.behind());
        isFirst = false;
      }
      between.append(
          "],\"pageInfo\":{\"endCursor\":\"%s\",\"hasNextPage\":%s}}"
              .formatted(end.encode(), hasNext));
      body.text(between.toString());
    }
  }
}
