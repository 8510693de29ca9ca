package io.egress.api.admin.keys;

import io.egress.platform.outage.Outage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records when keys were used, in memory, and writes it to the database periodically, so that a
 * pull does not cost a write. A crash loses at most one interval.
 */
public final class KeyUse {
  private static final Logger log = LoggerFactory.getLogger(KeyUse.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Sorted by id, so that two processes that write at the same time do not deadlock. */
  private static final String WRITE =
      """
      with used as (
        select k.id, u.at from api_keys k join unnest($1::uuid[], $2::timestamptz[]) as u(id, at) using (id)
        order by k.id for update of k)
      update api_keys k set last_used_at = greatest(k.last_used_at, used.at) from used where k.id = used.id
      """;

  private final Vertx vertx;
  private final Pool pool;
  private final Clock clock;
  private final Map<UUID, OffsetDateTime> used = new ConcurrentHashMap<>();
  private final Outage outage =
      new Outage(
          log,
          "Cannot record when API keys were used; retrying",
          "The use of API keys is recorded again");
  private final long timer;

  public KeyUse(Vertx vertx, Pool pool, Clock clock) {
    this.vertx = vertx;
    this.pool = pool;
    this.clock = clock;
    this.timer =
        vertx.setPeriodic(
            INTERVAL.toMillis(),
            _ -> write().onSuccess(_ -> outage.worked()).onFailure(outage::failed));
  }

  public void note(UUID keyId) {
    used.put(keyId, clock.instant().atOffset(ZoneOffset.UTC));
  }

  public Future<Void> close() {
    vertx.cancelTimer(timer);
    return write();
  }

  private Future<Void> write() {
    Map<UUID, OffsetDateTime> taken = new HashMap<>(used);
    if (taken.isEmpty()) {
      return Future.succeededFuture();
    }
    taken.forEach(used::remove);
    return pool.preparedQuery(WRITE)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(taken.keySet().toArray(UUID[]::new))
                .addArrayOfOffsetDateTime(taken.values().toArray(OffsetDateTime[]::new)))
        .mapEmpty();
  }
}
