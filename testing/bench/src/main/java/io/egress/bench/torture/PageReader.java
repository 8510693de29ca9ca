package io.egress.bench.torture;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of pages that stores captures and cursor together. Some pages it refuses, of some it
 * loses the answer; one that does not follow the last breaks a promise.
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
  private @Nullable String cursor;

  /** {@code reading} gets what is accepted. */
  PageReader(String name, List<UUID> reading, Evidence evidence) {
    this.name = name;
    this.reading = reading;
    this.evidence = evidence;
  }

  synchronized Answer take(JsonObject page) {
    JsonArray captures = page.getJsonArray("captures");
    int chance = random.nextInt(100);
    if (chance < 5) {
      return Answer.UNAVAILABLE;
    }
    String end = page.getJsonObject("pageInfo").getString("endCursor");
    if (!end.equals(cursor)) {
      if (chance == 5 && captures.size() > 1) {
        return Answer.TOO_LARGE;
      }
      String after = page.getString("after");
      if (after == null ? cursor != null : !after.equals(cursor)) {
        evidence.violation(name + " was sent the page after " + after + " and has " + cursor);
      }
      store(captures);
      cursor = end;
    }
    return chance > 94 ? Answer.LOST : Answer.ACCEPTED;
  }

  private void store(JsonArray captures) {
    synchronized (reading) {
      for (int i = 0; i < captures.size(); i++) {
        reading.add(UUID.fromString(captures.getJsonObject(i).getString("id")));
      }
    }
  }
}
