package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.transcript.stream.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the data of a webhook is made of. A head is rendered JSON up to and including {@code
 * "emitted_at":"}, which the envelope completes; the endpoints that get the same may share it.
 */
public sealed interface Content {
  /** How much memory a body with this content takes, roughly. */
  int length();

  /** One document, or something else that ends like one. */
  final class Document implements Content {
    private final byte[] head;

    public Document(byte[] head) {
      this.head = head;
    }

    byte[] head() {
      return head;
    }

    @Override
    public int length() {
      return head.length;
    }
  }

  /**
   * A page of the stream.
   *
   * @param after the cursor before it; null at the beginning of the stream
   * @param captureIds none if all of them were erased since the page may have been sent before
   * @param heads of the documents of {@code captureIds}
   * @param end the cursor after it
   * @param hasNext whether more had entered the stream when this page became due
   */
  record Page(
      @Nullable Cursor after,
      List<UUID> captureIds,
      List<byte[]> heads,
      Cursor end,
      boolean hasNext)
      implements Content {
    private static final int BYTES_OF_PAGE = 512;
    private static final int BYTES_BETWEEN = 32;

    public Page {
      captureIds = List.copyOf(captureIds);
      heads = List.copyOf(heads);
      if (heads.size() != captureIds.size()) {
        throw new IllegalArgumentException(
            captureIds.size() + " captures, " + heads.size() + " documents");
      }
    }

    @Override
    public int length() {
      return lengthWith(heads.stream().mapToLong(head -> head.length).sum(), heads.size());
    }

    /** That of a page with so many documents, of so many bytes together. */
    public static int lengthWith(long documentBytes, int documents) {
      return Math.toIntExact(documentBytes + (long) documents * BYTES_BETWEEN + BYTES_OF_PAGE);
    }

    Page asReferences(UUID workspaceId) {
      List<byte[]> references =
          captureIds.stream().map(id -> Reference.head(workspaceId, id)).toList();
      return new Page(after, captureIds, references, end, hasNext);
    }

    /** Its JSON, in parts; heads are among them as they are. */
    List<byte[]> parts(String emittedAt) {
      List<byte[]> parts = new ArrayList<>(2 * heads.size() + 1);
      String before = after == null ? "null" : "\"" + after.encode() + "\"";
      parts.add(("{\"after\":" + before + ",\"captures\":[").getBytes(US_ASCII));
      byte[] between = (emittedAt + "\"},").getBytes(US_ASCII);
      for (byte[] head : heads) {
        if (parts.size() > 1) {
          parts.add(between);
        }
        parts.add(head);
      }
      parts.add(endOf(heads.isEmpty() ? "" : emittedAt + "\"}"));
      return parts;
    }

    private byte[] endOf(String endOfLast) {
      return (endOfLast
              + "],\"pageInfo\":{\"endCursor\":\""
              + end.encode()
              + "\",\"hasNextPage\":"
              + hasNext
              + "}}")
          .getBytes(US_ASCII);
    }
  }
}
