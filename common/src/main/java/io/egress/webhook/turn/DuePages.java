package io.egress.webhook.turn;

import io.egress.platform.database.Rows;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.delivery.Delivery;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * The turns of endpoints that are sent pages. A row says which page is due; a record in Kafka is
 * only its alarm. The row is therefore always written first: a record that is lost is published
 * again by whoever finds the row overdue, and one that does not fit the row means nothing.
 *
 * <p>Rows are locked in the order of their ids.
 */
public final class DuePages {
  /** Read by {@link #records}. */
  static final String PUBLISHED =
      "returning t.endpoint_id, t.feed, t.page_after, t.attempts, t.owed_at, t.due_at";

  /** Of what is owed for longer, the log may have no day. */
  private static final String OWED_LATELY = "greatest(%s, now() - interval '1 day')";

  /**
   * What has entered the stream since the endpoint came to rest is due, and then what has become of
   * captures since; before either, the page during which it was paused.
   */
  private static final String WAKE =
      """
      with resting as (
        select t.endpoint_id, n.feed, n.up_to, %s as owed_at
        from turns t join endpoints e on e.id = t.endpoint_id join workspaces w on w.id = e.workspace_id
          left join change_heads h on h.workspace_id = e.workspace_id and wants_changes(e.spec)
          cross join lateral (
            select t.feed, t.page_up_to as up_to, t.page_after + 1 as next where t.page_up_to is not null
            union all
            select 'captures', w.stream_head, t.read_up_to + 1 where t.page_up_to is null and t.read_up_to < w.stream_head
            union all
            select 'changes', h.number, t.changes_read_up_to + 1
            where t.page_up_to is null and t.read_up_to >= w.stream_head and t.changes_read_up_to < h.number) n
        where %s and t.due_at is null and not e.paused and e.deleted_at is null
        order by t.endpoint_id %s)
      update turns t set feed = r.feed, page_up_to = r.up_to, due_at = now(), owed_at = r.owed_at, attempts = 0
      from resting r where t.endpoint_id = r.endpoint_id
      """
              .formatted(
                  OWED_LATELY.formatted(
                      """
                      case n.feed
                        when 'captures' then (
                          select entered_at from stream where workspace_id = e.workspace_id and position = n.next)
                        else (
                          select changed_at from changes where workspace_id = e.workspace_id and number >= n.next
                          order by number limit 1) end\
                      """),
                  "%s",
                  "%s")
          + PUBLISHED;

  /** One that is coming to rest at this moment is waited for. */
  private static final String WAKE_THESE =
      WAKE.formatted("t.endpoint_id = any($1)", "for no key update of t");

  private static final String WAKE_SOME = "limit $1 for no key update of t skip locked";

  private static final String WAKE_ANY = WAKE.formatted("true", WAKE_SOME);

  private static final String WAKE_CHANGED =
      WAKE.formatted("wants_changes(e.spec) and t.changes_read_up_to < h.number", WAKE_SOME);

  private static final String OVERDUE =
      """
      with lost as (
        select t.endpoint_id from turns t join endpoints e on e.id = t.endpoint_id
        where t.due_at < now() - $1::bigint * interval '1 ms' and not e.paused and e.deleted_at is null
        order by t.due_at limit $2 for no key update of t skip locked)
      update turns t set due_at = now(), owed_at = %s
      from lost where t.endpoint_id = lost.endpoint_id
      """
              .formatted(OWED_LATELY.formatted("t.owed_at"))
          + PUBLISHED;

  private final Pool pool;

  public DuePages(Pool pool) {
    this.pool = pool;
  }

  /** The records of those of the endpoints that rested and have something to be sent. */
  public Future<List<Delivery>> wake(Collection<UUID> endpointIds) {
    return records(
        pool, WAKE_THESE, Tuple.tuple().addArrayOfUUID(endpointIds.toArray(UUID[]::new)));
  }

  /** The same of any endpoints, at most {@code max}. */
  public Future<List<Delivery>> wakeAny(int max) {
    return records(pool, WAKE_ANY, Tuple.of(max));
  }

  /** The same of those for which there are changes, which nothing else wakes. */
  public Future<List<Delivery>> wakeChanged(int max) {
    return records(pool, WAKE_CHANGED, Tuple.of(max));
  }

  /** The records of turns that have been due for so long that theirs may be lost. */
  public Future<List<Delivery>> overdue(Duration age, int max) {
    return records(pool, OVERDUE, Tuple.of(age.toMillis(), max));
  }

  /** Of the rows that something is due by. */
  static Future<List<Delivery>> records(SqlClient client, String sql, Tuple parameters) {
    return client
        .preparedQuery(sql)
        .execute(parameters)
        .map(rows -> {
          List<Delivery> records = new ArrayList<>();
          for (Row row : rows) {
            if (row.getOffsetDateTime("due_at") != null) {
              records.add(record(row));
            }
          }
          return records;
        });
  }

  private static Delivery record(Row row) {
    return Delivery.page(
        row.getUUID("endpoint_id"),
        Feed.of(row.getString("feed")),
        row.getLong("page_after"),
        row.getInteger("attempts") + 1,
        Rows.instant(row, "owed_at"),
        Rows.instant(row, "due_at"));
  }
}
