package io.egress.webhook.deliverylog;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Which captures are undelivered at an endpoint, and so are sent by a replay of undelivered
 * captures: those that were owed, by the stream or by a replay that was not canceled, that have not
 * been erased, and of which no delivery was delivered or is pending.
 *
 * <p>Of a capture that has changed since, an endpoint that asks for updates is owed the newest: if
 * that was not delivered, what it got before does not count.
 *
 * <p>They are found by their deliveries that were exhausted or skipped, because delivered ones are
 * in no index but that of their ids. So where only deliveries of replays were found, the first one
 * may have been delivered, and is looked up by its id.
 */
public final class Undelivered {
  private static final String CONDITION =
      """
      (select cancelled_at from backfills where id = %1$s.replay_id limit 1) is null
        and (select true from erasures where capture_id = %1$s.capture_id limit 1) is null
        and not exists (
          select from deliveries r where r.endpoint_id = %2$s and r.position = %1$s.position
            and r.replay_id is not null and r.replay_id is distinct from %3$s
            and r.state in ('delivered', 'pending') and (%1$s.origin <> 'update' or r.owed_at > %1$s.owed_at))
        and not exists (
          select from deliveries p where p.endpoint_id = %2$s and p.position = %1$s.position
            and p.state = 'pending' and p.state <> 'delivered' and p.replay_id is null)\
      """;

  private static final String DELIVERED =
      "select id from deliveries where id = any($1) and state = 'delivered'";

  private Undelivered() {}

  /**
   * In SQL, whether the capture of a row of {@code deliveries} that was exhausted or skipped is
   * undelivered, unless its first delivery was delivered and the row is no update.
   *
   * @param row the row
   * @param endpoint the endpoint's id
   * @param replay the id of a replay whose deliveries do not count, or null
   */
  public static String condition(String row, String endpoint, String replay) {
    return CONDITION.formatted(row, endpoint, replay);
  }

  /** Those of the first deliveries with the given ids that were delivered. */
  public static Future<Set<UUID>> delivered(SqlClient client, Collection<UUID> firstIds) {
    if (firstIds.isEmpty()) {
      return Future.succeededFuture(Set.of());
    }
    return client
        .preparedQuery(DELIVERED)
        .execute(Tuple.tuple().addArrayOfUUID(firstIds.toArray(UUID[]::new)))
        .map(rows -> {
          Set<UUID> delivered = new HashSet<>();
          rows.forEach(row -> delivered.add(row.getUUID("id")));
          return delivered;
        });
  }
}
