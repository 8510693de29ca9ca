package io.egress.api.admin.replays;

import io.egress.api.intake.CursorText;
import io.egress.platform.http.PathIds;
import io.egress.webhook.backfill.Backfills;
import java.util.Optional;
import java.util.UUID;

/** The position of a replay in lists, as text. It holds when the replay is no longer there. */
final class ReplayCursor {
  private ReplayCursor() {}

  static String of(Replay replay) {
    UUID id = replay.id();
    return CursorText.encode(
        CursorText.micros(replay.createdAt()),
        id.getMostSignificantBits(),
        id.getLeastSignificantBits());
  }

  /** Empty if neither {@link #of} nor 1.0.0, whose cursors are ids, can have written the text. */
  static Optional<Backfills.Place> decode(String text) {
    Optional<Backfills.Place> place =
        CursorText.decode(text, 3)
            .map(numbers ->
                new Backfills.Place(
                    CursorText.instant(numbers[0]), new UUID(numbers[1], numbers[2])));
    return place.isPresent() ? place : PathIds.uuid(text).map(id -> new Backfills.Place(null, id));
  }
}
