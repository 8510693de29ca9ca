package io.egress.api.pull;

import io.egress.platform.http.PacedResponse;
import io.egress.platform.json.UtcInstant;
import io.egress.transcript.document.BodyEncoder;
import io.egress.transcript.document.DocumentRenderer;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.ChangeText;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.text.CaptureDocument;
import io.egress.transcript.text.TextFormat;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Sends the documents of a page in chunks: the next chunk is read from the database once the
 * previous one was sent.
 */
final class PageSender {
  /** Documents read per chunk; a larger document is a chunk of its own. */
  static final int CHUNK_BYTES = 512 * 1024;

  /** A document as objects, and as text, for each byte of its JSON. */
  private static final int TEXT_BYTES_PER_BYTE = 8;

  /** Reserved for a document of unknown size, which has to be rendered. */
  private static final int UNKNOWN_BYTES = 128 * 1024;

  /** What is between the documents. */
  private enum Form {
    ARRAY("", ","),
    LINES("\n", "");

    private final String behind;
    private final String between;

    Form(String behind, String between) {
      this.behind = behind;
      this.between = between;
    }
  }

  private final PullStore store;
  private final Clock clock;

  PageSender(PullStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** {@code room} covers at least the documents already loaded. */
  Future<Void> sendList(
      PageRequest request, StreamPage page, PageRoom room, BodyEncoder body, PacedResponse outlet) {
    body.literal("{\"" + request.feed().word() + "\":[");
    return sendDocuments(page, Form.ARRAY, room, body, outlet)
        .compose(_ -> {
          Cursor end = page.end() == null ? request.endOfNothing() : page.end();
          body.literal("]," + pageInfo(end, page.hasNext()) + "}");
          return finish(body, outlet);
        });
  }

  /** Sends the page's documents, one a line, and does not end the body. */
  Future<Void> sendLines(StreamPage page, PageRoom room, BodyEncoder body, PacedResponse outlet) {
    return sendDocuments(page, Form.LINES, room, body, outlet).mapEmpty();
  }

  /** A member of an object. */
  static String pageInfo(@Nullable Cursor end, boolean hasNext) {
    return "\"pageInfo\":{\"endCursor\":%s,\"hasNextPage\":%s}"
        .formatted(end == null ? null : '"' + end.encode() + '"', hasNext);
  }

  Future<Void> sendOne(StreamPage page, PageRoom room, BodyEncoder body, PacedResponse outlet) {
    return sendDocuments(page, Form.ARRAY, room, body, outlet)
        .compose(sent -> sent ? finish(body, outlet) : Future.failedFuture(PullStore.erased()));
  }

  /** Sends the page's only document as {@code format}, which is made on a thread of its own. */
  Future<Void> sendText(
      StreamPage page,
      TextFormat format,
      Vertx vertx,
      PageRoom room,
      BodyEncoder body,
      PacedResponse outlet) {
    StreamPage.Entry entry = page.entries().getFirst();
    Fragment atHand = page.atHand().poll();
    Future<Fragment> read =
        atHand != null
            ? Future.succeededFuture(atHand)
            : room.fit(size(entry))
                .compose(_ -> store.documents(page, List.of(entry)))
                .map(documents ->
                    Optional.ofNullable(documents.get(entry.captureId()))
                        .orElseThrow(PullStore::erased));
    return read.compose(document ->
            room.fit(document.length() * TEXT_BYTES_PER_BYTE)
                .compose(_ -> vertx.executeBlocking(() -> text(document, format), false)))
        .compose(text -> {
          body.fragment(text);
          return finish(body, outlet);
        });
  }

  private Fragment text(Fragment document, TextFormat format) throws IOException {
    Buffer json =
        Buffer.buffer(document.inflate())
            .appendString(UtcInstant.format(clock.instant()))
            .appendString(DocumentRenderer.TAIL);
    return Fragment.deflate(
        format.of(CaptureDocument.parse(json.getBytes())).getBytes(StandardCharsets.UTF_8));
  }

  static Future<Void> finish(BodyEncoder body, PacedResponse outlet) {
    body.finish();
    return outlet.sendAll(body::next).compose(_ -> outlet.end());
  }

  /** Returns whether there was any: all can have been erased since the page was read. */
  private Future<Boolean> sendDocuments(
      StreamPage page, Form form, PageRoom room, BodyEncoder body, PacedResponse outlet) {
    int sent = addAtHand(page, form, body);
    // The response begins with the first document: until then a failure can have a status.
    Future<Void> begun = sent == 0 ? Future.succeededFuture() : outlet.sendAll(body::next);
    return begun.compose(_ -> sendRest(page, sent, sent > 0, form, room, body, outlet));
  }

  /** Returns the number of entries. */
  private int addAtHand(StreamPage page, Form form, BodyEncoder body) {
    int added = 0;
    for (StreamPage.Entry entry : page.entries()) {
      if (!entry.isErased() && page.atHand().isEmpty()) {
        break;
      }
      add(body, form, entry, entry.isErased() ? null : page.atHand().remove(), added == 0);
      added++;
    }
    return added;
  }

  private Future<Boolean> sendRest(
      StreamPage page,
      int from,
      boolean follows,
      Form form,
      PageRoom room,
      BodyEncoder body,
      PacedResponse outlet) {
    List<StreamPage.Entry> entries = page.entries();
    if (from == entries.size()) {
      return Future.succeededFuture(follows);
    }
    List<StreamPage.Entry> chunk = new ArrayList<>();
    long bytes = 0;
    for (StreamPage.Entry entry : entries.subList(from, entries.size())) {
      long size = size(entry);
      if (!chunk.isEmpty() && bytes + size > CHUNK_BYTES) {
        break;
      }
      chunk.add(entry);
      bytes += size;
    }
    return room.fit(bytes)
        .compose(_ -> store.documents(page, chunk))
        .compose(documents -> sendChunk(chunk, documents, form, follows, body, outlet))
        .compose(any -> sendRest(page, from + chunk.size(), any, form, room, body, outlet));
  }

  private static long size(StreamPage.Entry entry) {
    if (entry.isErased()) {
      return 0;
    }
    return entry.bytes() == null ? UNKNOWN_BYTES : entry.bytes();
  }

  private Future<Boolean> sendChunk(
      List<StreamPage.Entry> chunk,
      Map<UUID, Fragment> documents,
      Form form,
      boolean follows,
      BodyEncoder body,
      PacedResponse outlet) {
    boolean any = follows;
    for (StreamPage.Entry entry : chunk) {
      Fragment document = documents.get(entry.captureId());
      if (document != null || entry.isErased()) {
        add(body, form, entry, document, !any);
        any = true;
      }
    }
    // An empty chunk must not begin the response.
    return any ? outlet.sendAll(body::next).map(true) : Future.succeededFuture(false);
  }

  /** {@code document} is null if the capture was erased. */
  private void add(
      BodyEncoder body,
      Form form,
      StreamPage.Entry entry,
      @Nullable Fragment document,
      boolean first) {
    if (!first) {
      body.literal(form.between);
    }
    StreamPage.Change change = entry.change();
    if (change != null) {
      body.literal(
          ChangeText.before(entry.captureId(), change.at(), entry.revision(), change.erasedFor()));
    }
    if (document != null) {
      body.fragment(document);
      body.literal(UtcInstant.format(clock.instant()));
      body.literal(DocumentRenderer.TAIL);
    }
    body.literal((change == null ? "" : ChangeText.AFTER) + form.behind);
  }
}
