package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.document.BodyEncoder;
import io.egress.document.DocumentRenderer;
import io.egress.document.Fragment;
import io.egress.document.UtcInstant;
import io.egress.flow.ByteBudget;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Sends the documents of a page chunk by chunk: a chunk is read from the database once the one
 * before it has left, and its bytes are taken out of a budget that all pages share.
 */
final class PageSender {
  /** Documents read at once; one that is larger comes alone. */
  static final int CHUNK_BYTES = 512 * 1024;

  /** What is reckoned for a document whose size is not known because it has to be rendered anew. */
  private static final int UNKNOWN_BYTES = 128 * 1024;

  private final PullStore store;
  private final ByteBudget memory;
  private final Clock clock;

  PageSender(PullStore store, ByteBudget memory, Clock clock) {
    this.store = requireNonNull(store, "store is null");
    this.memory = requireNonNull(memory, "memory is null");
    this.clock = requireNonNull(clock, "clock is null");
  }

  /** {@code first} is the share of memory that the documents already at hand take. */
  Future<Void> sendList(StreamPage page, ByteBudget.Share first, BodyEncoder body, Outlet outlet) {
    body.literal("{\"captures\":[");
    return sendDocuments(page.entries(), first, body, outlet)
        .compose(
            sent -> {
              var end = page.end();
              body.literal("],\"pageInfo\":{\"endCursor\":");
              body.literal(end == null ? "null" : '"' + end.encode() + '"');
              body.literal(",\"hasNextPage\":" + page.hasNext() + "}}");
              return finish(body, outlet);
            });
  }

  Future<Void> sendOne(StreamPage page, ByteBudget.Share first, BodyEncoder body, Outlet outlet) {
    return sendDocuments(page.entries(), first, body, outlet).compose(sent -> finish(body, outlet));
  }

  private static Future<Void> finish(BodyEncoder body, Outlet outlet) {
    body.finish();
    return outlet.sendAll(body).compose(sent -> outlet.end());
  }

  private Future<Void> sendDocuments(
      List<StreamPage.Entry> entries, ByteBudget.Share first, BodyEncoder body, Outlet outlet) {
    int atHand = 0;
    while (atHand < entries.size()) {
      Fragment document = entries.get(atHand).document();
      if (document == null) {
        break;
      }
      tell(body, document, atHand == 0);
      atHand++;
    }
    if (atHand == 0) {
      first.giveBack();
      return sendRest(entries, 0, body, outlet);
    }
    int sent = atHand;
    return outlet
        .sendAll(body)
        .onComplete(done -> first.giveBack())
        .compose(done -> sendRest(entries, sent, body, outlet));
  }

  private Future<Void> sendRest(
      List<StreamPage.Entry> entries, int from, BodyEncoder body, Outlet outlet) {
    if (from == entries.size()) {
      return Future.succeededFuture();
    }
    List<UUID> chunk = new ArrayList<>();
    long bytes = 0;
    for (StreamPage.Entry entry : entries.subList(from, entries.size())) {
      long size = entry.bytes() == null ? UNKNOWN_BYTES : entry.bytes();
      if (!chunk.isEmpty() && bytes + size > CHUNK_BYTES) {
        break;
      }
      chunk.add(entry.captureId());
      bytes += size;
    }
    return memory
        .take(bytes)
        .compose(
            share ->
                store
                    .documents(chunk)
                    .compose(documents -> sendChunk(chunk, documents, from == 0, body, outlet))
                    .onComplete(done -> share.giveBack()))
        .compose(sent -> sendRest(entries, from + chunk.size(), body, outlet));
  }

  private Future<Void> sendChunk(
      List<UUID> chunk,
      Map<UUID, Fragment> documents,
      boolean first,
      BodyEncoder body,
      Outlet outlet) {
    boolean leads = first;
    for (UUID id : chunk) {
      tell(body, requireNonNull(documents.get(id), "a capture of the stream is missing"), leads);
      leads = false;
    }
    return outlet.sendAll(body);
  }

  private void tell(BodyEncoder body, Fragment document, boolean first) {
    if (!first) {
      body.literal(",");
    }
    body.fragment(document);
    body.literal(UtcInstant.format(clock.instant()));
    body.literal(DocumentRenderer.TAIL);
  }
}
