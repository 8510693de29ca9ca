package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** To which place of which feed a cursor moves. */
final class SeekOptions {
  @Option(
      names = "--feed",
      paramLabel = "FEED",
      description = "captures, or changes, which have a cursor of their own (captures)")
  private @Nullable String feed;

  @Option(
      names = "--from-position",
      paramLabel = "POSITION",
      description = "the first position to send, or the number of the first change")
  private @Nullable Long fromPosition;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "what entered the stream, or changed, since then: " + Instants.FORMS)
  private @Nullable Instant from;

  @Option(names = "--to-end", description = "only what follows from now on")
  private boolean toEnd;

  JsonObject body() {
    JsonObject body = new JsonObject();
    if (feed != null) {
      body.put("feed", feed);
    }
    if (fromPosition != null) {
      body.put("from_position", fromPosition);
    }
    if (from != null) {
      body.put("from", from.toString());
    }
    if (toEnd) {
      body.put("to_end", true);
    }
    return body;
  }
}
