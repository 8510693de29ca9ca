package io.egress.dispatcher.deliver;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.Receivers;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A receiver as docs/receiving.md has it: it stores documents and cursor together, and notices a
 * gap or a repetition by comparing two texts. Pages of changes have a cursor of their own.
 */
final class PageReceiver implements Receivers.Behaviour {
  /** The data of a page, as it was received. */
  record Page(Feed feed, String deliveryId, JsonObject data) {
    List<UUID> captureIds() {
      List<UUID> ids = new ArrayList<>();
      JsonArray captures = data.getJsonArray(feed.word());
      for (int i = 0; i < captures.size(); i++) {
        ids.add(UUID.fromString(captures.getJsonObject(i).getString("id")));
      }
      return ids;
    }

    @Nullable String after() {
      return data.getString("after");
    }

    String endCursor() {
      return data.getJsonObject("pageInfo").getString("endCursor");
    }
  }

  private static final int NO_CONTENT = 204;
  static final int CONFLICT = 409;

  private final ConcurrentLinkedQueue<Page> requests = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Page> accepted = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
  private volatile ToIntFunction<Page> opinion = _ -> NO_CONTENT;
  private volatile int millis = 1;
  private volatile boolean losesAnswers;
  private final Map<Feed, String> cursors = new EnumMap<>(Feed.class);
  private final Map<UUID, JsonObject> copy = new ConcurrentHashMap<>();

  /** Which status it answers a page with, that it could accept. */
  void answer(ToIntFunction<Page> status) {
    opinion = status;
  }

  /** What it has taken, it answers only after a while. */
  void slow(int answersAfterMillis) {
    millis = answersAfterMillis;
  }

  /** Whether it answers 503 to pages that it has stored, as a proxy does that lost the answer. */
  void loseAnswers(boolean loses) {
    losesAnswers = loses;
  }

  void fine() {
    answer(_ -> NO_CONTENT);
  }

  @Override
  public void answer(HttpServerRequest request, int nth, Buffer body) {
    boolean isCompressed = request.headers().contains("content-encoding", "gzip", true);
    int status = take(isCompressed ? Arrival.inflate(body) : body);
    Vertx.currentContext()
        .owner()
        .setTimer(
            millis,
            _ -> {
              HttpServerResponse response =
                  request.response().setStatusCode(losesAnswers ? 503 : status);
              if (status >= 400) {
                response.end("about what it was sent");
              } else {
                response.end();
              }
            });
  }

  @Override
  public void answer(HttpServerRequest request, int nth) {
    throw new UnsupportedOperationException("needs the body");
  }

  private synchronized int take(Buffer body) {
    JsonObject envelope = body.toJsonObject();
    Feed feed = envelope.getString("event").equals("changes.page") ? Feed.CHANGES : Feed.CAPTURES;
    Page page = new Page(feed, envelope.getString("delivery_id"), envelope.getJsonObject("data"));
    requests.add(page);
    int status = opinion.applyAsInt(page);
    if (status != NO_CONTENT) {
      return status;
    }
    String cursor = cursors.get(feed);
    if (page.endCursor().equals(cursor)) {
      return NO_CONTENT;
    }
    if (cursor != null && !String.valueOf(page.after()).equals(cursor)) {
      faults.add("after " + page.after() + ", but the cursor is " + cursor);
      return CONFLICT;
    }
    accepted.add(page);
    cursors.put(feed, page.endCursor());
    JsonArray entries = page.data().getJsonArray(feed.word());
    for (int i = 0; i < entries.size(); i++) {
      store(page.captureIds().get(i), feed, entries.getJsonObject(i));
    }
    return NO_CONTENT;
  }

  private void store(UUID id, Feed feed, JsonObject entry) {
    JsonObject document = feed == Feed.CHANGES ? entry.getJsonObject("capture") : entry;
    if (document == null) {
      copy.remove(id);
    } else {
      copy.put(id, document);
    }
  }

  /** What a receiver has that keeps the newest of what it was sent. */
  Map<UUID, JsonObject> copy() {
    return Map.copyOf(copy);
  }

  List<Page> accepted(Feed feed) {
    return accepted.stream().filter(page -> page.feed() == feed).toList();
  }

  List<Page> requests() {
    return List.copyOf(requests);
  }

  List<Page> accepted() {
    return List.copyOf(accepted);
  }

  List<String> faults() {
    return List.copyOf(faults);
  }

  /** In the order in which they were accepted. */
  List<UUID> captureIds() {
    return accepted(Feed.CAPTURES).stream().flatMap(page -> page.captureIds().stream()).toList();
  }
}
