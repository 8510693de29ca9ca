package io.egress.api.admin.replays;

import io.egress.api.intake.CreationPlace;
import io.egress.platform.http.PathIds;
import io.egress.webhook.backfill.Backfills;
import java.util.Optional;

/** The position of a replay in lists, as text. It holds when the replay is no longer there. */
final class ReplayCursor {
  private ReplayCursor() {}

  static String of(Replay replay) {
    return new CreationPlace(replay.createdAt(), replay.id()).cursor();
  }

  /** Empty if neither {@link #of} nor 1.0.0, whose cursors are ids, can have written the text. */
  static Optional<Backfills.Place> decode(String text) {
    Optional<Backfills.Place> place =
        CreationPlace.decode(text)
            .map(created -> new Backfills.Place(created.createdAt(), created.id()));
    return place.isPresent() ? place : PathIds.uuid(text).map(id -> new Backfills.Place(null, id));
  }
}
