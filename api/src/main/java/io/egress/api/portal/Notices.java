package io.egress.api.portal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Messages shown after a form was accepted, selected by the URL. */
final class Notices {
  private static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("key-deleted", "Key deleted. Requests that use it are rejected from now on."),
          Map.entry(
              "key-changed", "Key changed. Requests that use it are rejected from its expiry on."),
          Map.entry(
              "key-expected",
              "Key changed. Whether it is used as often as expected is checked every minute."),
          Map.entry(
              "endpoint-changed", "Endpoint changed. The change applies from the next attempt on."),
          Map.entry(
              "endpoint-moved",
              "Endpoint changed. Another receiver: its custom headers, client certificate and OAuth"
                  + " 2.0 client were removed. Set them again if the new one needs them."),
          Map.entry(
              "endpoint-paused",
              "Endpoint paused. Deliveries that fall due meanwhile are skipped and can be replayed."),
          Map.entry(
              "stream-paused", "Endpoint paused. Nothing is skipped: it goes on where it stopped."),
          Map.entry("endpoint-resumed", "Endpoint resumed."),
          Map.entry("capture-skipped", "Capture skipped. The endpoint goes on with the next one."),
          Map.entry("endpoint-deleted", "Endpoint deleted. Nothing more is sent to it."),
          Map.entry(
              "capture-erased",
              "Capture erased. What clients and receivers have of it, and backups, is not reached."),
          Map.entry("overlap-ended", "Only the newest secret signs from now on."),
          Map.entry(
              "selected-redelivered", "The selected captures are sent again, as new deliveries."),
          Map.entry(
              "replays-started", "What was given up or skipped is sent again, to each endpoint."),
          Map.entry("nothing-undelivered", "Nothing is left to send again."),
          Map.entry("redelivered", "The capture is sent again as a new delivery."),
          Map.entry("replay-started", "Replay started."),
          Map.entry("replay-canceled", "Replay canceled."));

  private Notices() {}

  static @Nullable String of(@Nullable String code) {
    return code == null ? null : TEXTS.get(code);
  }
}
