package io.egress.webhook.backfill;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Endpoints that are owed more than Kafka is to hold for them are behind: what enters the stream is
 * published to them from there, in order and in small parts ({@link OpenBackfills}), until they
 * have caught up. Used on event loops.
 */
public final class CatchUps {
  /**
   * A batch ends where a block of so many positions does, so that endpoints that are not far from
   * each other are at the same place again and again.
   */
  public static final int BLOCK = 64;

  /**
   * What is published from the stream to an endpoint that is behind, whatever else is.
   *
   * @param last the head when this was known; what entered later may be live again by now
   */
  public record Covered(long first, long last) {
    /** Of an endpoint that was deleted. */
    public static final Covered NOTHING = new Covered(1, 0);

    public boolean contains(long position) {
      return position >= first && position <= last;
    }
  }

  private static final String FALL_BEHIND = "select endpoint, first, head from fall_behind($1, $2)";

  private final Pool pool;

  public CatchUps(Pool pool) {
    this.pool = pool;
  }

  /**
   * The endpoints are behind from these positions on. One that is already stays so from its former
   * position on, which may be a later one. Those that were deleted are left out.
   */
  public Future<Map<UUID, Covered>> fallBehind(Map<UUID, Long> positions) {
    UUID[] endpointIds = positions.keySet().toArray(UUID[]::new);
    Long[] places = new Long[endpointIds.length];
    for (int i = 0; i < places.length; i++) {
      places[i] = positions.get(endpointIds[i]);
    }
    return pool.preparedQuery(FALL_BEHIND)
        .execute(Tuple.of(endpointIds, (Object) places))
        .map(rows -> {
          Map<UUID, Covered> covered = new HashMap<>();
          for (Row row : rows) {
            covered.put(
                row.getUUID("endpoint"), new Covered(row.getLong("first"), row.getLong("head")));
          }
          return covered;
        });
  }
}
