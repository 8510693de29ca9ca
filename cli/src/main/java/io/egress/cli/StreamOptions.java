package io.egress.cli;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where an endpoint begins, and how it is sent the stream itself. */
final class StreamOptions {
  @Option(
      names = "--delivery",
      paramLabel = "each|stream",
      description =
          "a webhook for each capture (each), or the stream itself in pages, one after the other,"
              + " each only after the last was accepted (stream); it cannot be changed later")
  private @Nullable String delivery;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "with stream: at most so many captures a page, 1 to 100 (100)")
  private @Nullable Integer batch;

  @Option(
      names = "--max-body",
      paramLabel = "BYTES",
      description =
          "with stream: at most so many bytes a page with several captures, 65536 to 16777216"
              + " (1048576)")
  private @Nullable Integer maxBody;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "begin with what entered the stream since then: " + Instants.FORMS)
  private @Nullable Instant from;

  void putInto(JsonObject endpoint) {
    if (delivery != null) {
      endpoint.put("delivery", delivery);
    }
    if (batch != null) {
      endpoint.put("batch", batch);
    }
    if (maxBody != null) {
      endpoint.put("max_body", maxBody);
    }
    if (from != null) {
      endpoint.put("from", from.toString());
    }
  }
}
