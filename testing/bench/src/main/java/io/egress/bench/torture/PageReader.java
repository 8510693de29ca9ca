package io.egress.bench.torture;

import io.egress.transcript.stream.Feed;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;

/**
 * A receiver of pages that stores captures and cursor together. Some pages it refuses, of some it
 * loses the answer; one that does not follow the last of its feed breaks a promise. It keeps what
 * came last of a capture, whatever revision that is.
 */
final class PageReader {
  /** What becomes of the request. */
  enum Answer {
    ACCEPTED(204),
    UNAVAILABLE(503),
    TOO_LARGE(413),
    /** What was sent is stored, and the connection closed without an answer. */
    LOST(0);

    private final int status;

    Answer(int status) {
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  private final String name;
  private final List<UUID> reading;
  private final Evidence evidence;
  private final Random random = new Random();
  private final Map<Feed, String> cursors = new EnumMap<>(Feed.class);
  private final Map<UUID, String> documents = new HashMap<>();

  /** {@code reading} gets what is accepted. */
  PageReader(String name, List<UUID> reading, Evidence evidence) {
    this.name = name;
    this.reading = reading;
    this.evidence = evidence;
  }

  synchronized Answer take(Feed feed, JsonObject page) {
    JsonArray entries = page.getJsonArray(feed.word());
    int chance = random.nextInt(100);
    if (chance < 5) {
      return Answer.UNAVAILABLE;
    }
    String end = page.getJsonObject("pageInfo").getString("endCursor");
    String cursor = cursors.get(feed);
    if (!end.equals(cursor)) {
      if (chance == 5 && entries.size() > 1) {
        return Answer.TOO_LARGE;
      }
      String after = page.getString("after");
      // The first changes are those since the endpoint was created.
      boolean isFirst = cursor == null && (after == null || feed == Feed.CHANGES);
      if (!isFirst && !Objects.equals(after, cursor)) {
        evidence.violation(name + " was sent the page after " + after + " and has " + cursor);
      }
      for (int i = 0; i < entries.size(); i++) {
        store(feed, entries.getJsonObject(i));
      }
      cursors.put(feed, end);
    }
    return chance > 94 ? Answer.LOST : Answer.ACCEPTED;
  }

  private void store(Feed feed, JsonObject entry) {
    UUID captureId = UUID.fromString(entry.getString("id"));
    JsonObject document = feed == Feed.CHANGES ? entry.getJsonObject("capture") : entry;
    if (feed == Feed.CAPTURES) {
      synchronized (reading) {
        reading.add(captureId);
      }
    }
    if (document == null) {
      documents.remove(captureId);
    } else {
      documents.put(captureId, Copy.shown(document));
    }
  }

  /** What it has of each capture. */
  synchronized Map<UUID, String> documents() {
    return Map.copyOf(documents);
  }
}
