package io.egress.api.portal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages shown after a form was accepted, selected by the URL. */
final class Notices {
  private static final Map<String, String> TEXTS =
      Map.of(
          "key-deleted", "Key deleted. Requests that use it are rejected from now on.",
          "endpoint-changed", "Endpoint changed. The change applies from the next attempt on.",
          "endpoint-paused",
              "Endpoint paused. Deliveries that fall due meanwhile are skipped and can be replayed.",
          "endpoint-resumed", "Endpoint resumed.",
          "endpoint-deleted", "Endpoint deleted. Nothing more is sent to it.",
          "overlap-ended", "Only the newest secret signs from now on.",
          "selected-redelivered", "The selected captures are sent again, as new deliveries.",
          "redelivered", "The capture is sent again as a new delivery.",
          "replay-started", "Replay started.",
          "replay-cancelled", "Replay canceled.");

  private Notices() {}

  static @Nullable String of(@Nullable String code) {
    return code == null ? null : TEXTS.get(code);
  }
}
