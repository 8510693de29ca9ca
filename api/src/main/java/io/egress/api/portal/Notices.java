package io.egress.api.portal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages shown after a form was accepted, selected by the URL. */
final class Notices {
  private static final Map<String, String> TEXTS =
      Map.of(
          "key-deleted", "The key is deleted. Requests with it are refused from now on.",
          "endpoint-changed", "The endpoint is changed. It holds for the next attempt.",
          "endpoint-paused",
              "The endpoint is paused. What falls due meanwhile is skipped, and can be replayed.",
          "endpoint-resumed", "The endpoint receives again.",
          "endpoint-deleted", "The endpoint is deleted. Nothing is sent to it any more.",
          "overlap-ended", "Only the newest secret signs from now on.",
          "redelivered", "The delivery is sent once more, as a delivery of its own.",
          "replay-started", "The replay has begun.",
          "replay-cancelled", "The replay is cancelled.");

  private Notices() {}

  static @Nullable String of(@Nullable String code) {
    return code == null ? null : TEXTS.get(code);
  }
}
