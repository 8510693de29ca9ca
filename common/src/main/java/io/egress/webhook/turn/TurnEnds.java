package io.egress.webhook.turn;

import io.egress.platform.database.LostConnections;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.PageLog;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes what turns have come to, and logs the attempts that were made. Rows are locked in the
 * order of their ids.
 */
public final class TurnEnds {
  /** Pages that a receiver has accepted before it gets larger ones again. */
  private static final int ACCEPTED_TO_GROW = 20;

  /** What each turn is identified by. */
  private static final String OF_PAGE =
      "t.endpoint_id = x.endpoint_id and t.feed = x.feed and t.page_after = x.position";

  /** In the order of ids: {@code ended} has a row for each. */
  private static final String LOCKED =
      """
      , locked as materialized (
        select t.endpoint_id, w.stream_head as head, h.number as changes_head, t.page_up_to,
          case t.feed when 'captures' then greatest(t.read_up_to, x.looked_up_to) else t.read_up_to end as read_up_to,
          case t.feed when 'changes' then greatest(t.changes_read_up_to, x.looked_up_to) else t.changes_read_up_to end
            as changes_read_up_to
        from ended x join turns t on %s
          join endpoints e on e.id = t.endpoint_id join workspaces w on w.id = e.workspace_id
          left join change_heads h on h.workspace_id = e.workspace_id and wants_changes(e.spec)
        order by t.endpoint_id for no key update of t)
      """
          .formatted(OF_PAGE);

  /**
   * What follows: changes up to where their end was when they became due, then the stream up to its
   * end, then changes again.
   */
  private static final String NEXT =
      """
      , next as (
        select l.*, f.feed, f.up_to
        from ended x join locked l on l.endpoint_id = x.endpoint_id
          left join lateral (
            select feed, up_to from (values
              (1, 'changes', l.page_up_to,
                x.feed = 'changes' and l.changes_head is not null and l.changes_read_up_to < l.page_up_to),
              (2, 'captures', l.head, l.read_up_to < l.head),
              (3, 'changes', l.changes_head, l.changes_read_up_to < l.changes_head)) as n (nth, feed, up_to, is_next)
            where is_next order by nth limit 1) f on true)
      """;

  private static final String GO_ON =
      """
      read_up_to = n.read_up_to, changes_read_up_to = n.changes_read_up_to,
      feed = coalesce(n.feed, 'captures'), page_up_to = n.up_to, page_end = null, looked_up_to = null,
      due_at = case when n.feed is not null then now() end, owed_at = case when n.feed is not null then now() end,
      attempts = 0, failing_since = null, last_outcome = null, last_status = null, held_capture = null
      from ended x join next n on n.endpoint_id = x.endpoint_id
      where %s
      """
          .formatted(OF_PAGE);

  /** What was accepted is received, wherever the cursor is now. */
  private static final String ACCEPTED =
      """
      with ended as (
        select * from unnest(
            $1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
          as u(endpoint_id, feed, position, looked_up_to, last_position, delivered, updated, erased)),
      received as (
        insert into receipts as r (endpoint_id, day, delivered, updated, erased)
        select endpoint_id, (now() at time zone 'UTC')::date, delivered::int8multirange, updated::int8multirange,
          erased::int8multirange
        from ended order by 1
        on conflict (endpoint_id, day) do update
        set delivered = r.delivered + excluded.delivered, updated = r.updated + excluded.updated,
          erased = r.erased + excluded.erased)
      %1$s
      update turns t set
        position = case t.feed when 'captures' then x.last_position else t.position end,
        changes_position = case t.feed when 'changes' then x.last_position else t.changes_position end,
        size = case when t.accepted + 1 >= %2$d then least(t.batch, t.size * 2) else t.size end,
        accepted = case when t.size < t.batch then (t.accepted + 1) %% %2$d else 0 end,
        %3$s
      """
              .formatted(LOCKED + NEXT, ACCEPTED_TO_GROW, GO_ON)
          + DuePages.PUBLISHED;

  private static final String EMPTY =
      """
      with ended as (
        select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
          as u(endpoint_id, feed, position, looked_up_to))
      %s
      update turns t set
        %s
      """
              .formatted(LOCKED + NEXT, GO_ON)
          + DuePages.PUBLISHED;

  /** Locks the rows of ends after which the same page is due. */
  private static final String LOCKED_ONLY =
      """
      , locked as materialized (
        select t.endpoint_id from ended x join turns t on %s
        order by t.endpoint_id for no key update of t)
      """
          .formatted(OF_PAGE);

  /** An attempt that was made before, as far as the row knows, changes nothing. */
  private static final String FAILED =
      """
      with ended as (
        select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::integer[], $5::timestamptz[], $6::timestamptz[],
            $7::integer[], $8::timestamptz[], $9::text[], $10::integer[], $11::integer[], $12::uuid[])
          as u(endpoint_id, feed, position, attempt, due_at, owed_at, attempts, started_at, outcome, status, size, held))
      %s
      update turns t set due_at = x.due_at, owed_at = x.owed_at, attempts = x.attempts,
        failing_since = coalesce(t.failing_since, x.started_at), last_outcome = x.outcome, last_status = x.status,
        accepted = case when x.size < t.size then 0 else t.accepted end, size = x.size, held_capture = x.held,
        page_end = case when x.size < t.size then null else t.page_end end,
        looked_up_to = case when x.size < t.size then null else t.looked_up_to end
      from ended x join locked l on l.endpoint_id = x.endpoint_id
      where %s and t.attempts + 1 = x.attempt
      """
          .formatted(LOCKED_ONLY, OF_PAGE);

  private static final String PAUSED =
      """
      with ended as (
        select * from unnest($1::uuid[], $2::text[], $3::bigint[]) as u(endpoint_id, feed, position))
      %s
      update turns t set due_at = null, owed_at = null
      from ended x join locked l on l.endpoint_id = x.endpoint_id
      where %s and exists (
        select from endpoints e where e.id = t.endpoint_id and (e.paused or e.deleted_at is not null))
      """
          .formatted(LOCKED_ONLY, OF_PAGE);

  private static final String POSTPONED =
      """
      with ended as (
        select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::integer[], $5::timestamptz[])
          as u(endpoint_id, feed, position, attempt, due_at))
      %s
      update turns t set due_at = x.due_at
      from ended x join locked l on l.endpoint_id = x.endpoint_id
      where %s and t.attempts + 1 = x.attempt
      """
          .formatted(LOCKED_ONLY, OF_PAGE);

  private final Pool pool;
  private final PageLog log;

  public TurnEnds(Pool pool, LogDays days) {
    this.pool = pool;
    this.log = new PageLog(days);
  }

  /**
   * Writes ends of turns, no two of the same endpoint. Returns the records of the pages that
   * follow, which are to be published then. Attempts are logged first: if this ends in between, the
   * page is sent again.
   */
  public Future<List<Delivery>> write(List<TurnEnd> ends) {
    List<TurnEnd.Accepted> accepted = of(ends, TurnEnd.Accepted.class);
    List<TurnEnd.Failed> failed = of(ends, TurnEnd.Failed.class);
    List<TurnEnd.Empty> empty = of(ends, TurnEnd.Empty.class);
    List<TurnEnd.Paused> paused = of(ends, TurnEnd.Paused.class);
    List<TurnEnd.Postponed> postponed = of(ends, TurnEnd.Postponed.class);
    return LostConnections.with(
        pool,
        connection ->
            log.write(connection, entries(ends))
                .compose(_ ->
                    Future.join(
                        List.of(
                            accept(connection, accepted),
                            goOn(connection, empty),
                            fail(connection, failed),
                            pause(connection, paused),
                            postpone(connection, postponed))))
                .map(written -> {
                  List<Delivery> next = new ArrayList<>();
                  for (int i = 0; i < written.size(); i++) {
                    next.addAll(written.<List<Delivery>>resultAt(i));
                  }
                  return next;
                }));
  }

  private static List<PageLog.Entry> entries(List<TurnEnd> ends) {
    return of(ends, TurnEnd.Attempted.class).stream()
        .map(end -> {
          LogEntry entry =
              switch (end) {
                case TurnEnd.Accepted accepted ->
                    new LogEntry(accepted.turn(), DeliveryState.DELIVERED, end.attempt(), null);
                case TurnEnd.Failed failed ->
                    new LogEntry(
                        failed.turn(),
                        DeliveryState.PENDING,
                        end.attempt(),
                        failed.next().attemptAt());
              };
          return end.page().logged(entry);
        })
        .toList();
  }

  private static Future<List<Delivery>> accept(SqlClient client, List<TurnEnd.Accepted> ends) {
    return written(
        client,
        ACCEPTED,
        new Ended<>(ends)
            .add(end -> end.page().lookedUpTo(), Long[]::new)
            .add(end -> end.page().endPosition(), Long[]::new)
            .add(end -> end.page().places().delivered(), String[]::new)
            .add(end -> end.page().places().updated(), String[]::new)
            .add(end -> end.page().places().erased(), String[]::new));
  }

  private static Future<List<Delivery>> goOn(SqlClient client, List<TurnEnd.Empty> ends) {
    return written(client, EMPTY, new Ended<>(ends).add(TurnEnd.Empty::lookedUpTo, Long[]::new));
  }

  private static Future<List<Delivery>> fail(SqlClient client, List<TurnEnd.Failed> ends) {
    return written(
        client,
        FAILED,
        new Ended<>(ends)
            .add(end -> end.turn().attempt(), Integer[]::new)
            .add(end -> utc(end.next().attemptAt()), OffsetDateTime[]::new)
            .add(end -> utc(end.next().owedAt()), OffsetDateTime[]::new)
            .add(end -> end.next().attempt() - 1, Integer[]::new)
            .add(end -> utc(end.attempt().startedAt()), OffsetDateTime[]::new)
            .add(end -> end.attempt().outcome(), String[]::new)
            .add(end -> end.attempt().status(), Integer[]::new)
            .add(TurnEnd.Failed::size, Integer[]::new)
            .add(TurnEnd.Failed::held, UUID[]::new));
  }

  private static Future<List<Delivery>> pause(SqlClient client, List<TurnEnd.Paused> ends) {
    return written(client, PAUSED, new Ended<>(ends));
  }

  private static Future<List<Delivery>> postpone(SqlClient client, List<TurnEnd.Postponed> ends) {
    return written(
        client,
        POSTPONED,
        new Ended<>(ends)
            .add(end -> end.turn().attempt(), Integer[]::new)
            .add(end -> utc(end.next().attemptAt()), OffsetDateTime[]::new));
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  private static <T extends TurnEnd> List<T> of(List<TurnEnd> ends, Class<T> kind) {
    return ends.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** As one array per column; first what identifies the page. */
  private static final class Ended<T extends TurnEnd> {
    private final List<T> ends;
    private final Tuple columns = Tuple.tuple();

    private Ended(List<T> ends) {
      this.ends = ends;
      add(end -> end.turn().endpointId(), UUID[]::new);
      add(end -> end.turn().feed().word(), String[]::new);
      add(end -> end.turn().position(), Long[]::new);
    }

    private <C> Ended<T> add(Function<T, @Nullable C> field, IntFunction<C[]> array) {
      columns.addValue(ends.stream().map(field).toArray(array));
      return this;
    }
  }

  private static Future<List<Delivery>> written(SqlClient client, String sql, Ended<?> ended) {
    return ended.ends.isEmpty()
        ? Future.succeededFuture(List.of())
        : DuePages.records(client, sql, ended.columns);
  }
}
