package io.egress.webhook.deliverylog;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The record of pages in the database, beside that of deliveries, with the same attempts. Of an
 * attempt that ends after a capture in its page was erased, the answer is not kept, nor its
 * headers.
 */
public final class PageLog {
  private static final String WRITE =
      LogRows.ENTRIES
          + """
          , page as (
            select id, after_position, last_position, documents, changed::uuid[], documented::uuid[]
            from unnest($2::uuid[], $24::bigint[], $25::bigint[], $26::integer[], $27::text[], $28::text[])
              as p(id, after_position, last_position, documents, changed, documented)),
          erased as (
            select e.id from entry e join page p on p.id = e.id join endpoints o on o.id = e.endpoint_id
            where (e.answer is not null or e.response_headers is not null) and case when p.changed is null
              then exists (
                select from stream s join erasures x on x.capture_id = s.capture_id
                where s.workspace_id = o.workspace_id and s.position > p.after_position and s.position <= p.last_position)
              else exists (select from erasures x where x.capture_id = any(p.documented)) end),
          made as (
          """
          + LogRows.INSERT_ATTEMPTS.formatted("%1$s", "id in (table erased)")
          + DeliveryLog.ATTEMPT_MAY_BE_KNOWN
          + """
          ), written as (
            insert into %2$s as d
              (day, id, endpoint_id, changed, after_position, last_position, tried_up_to, documents, state, attempts, last_outcome,
                next_attempt_at, owed_at)
            select e.day, e.id, e.endpoint_id, p.changed, p.after_position, p.last_position, p.last_position, p.documents, e.state, e.attempts, e.outcome,
              e.next_attempt_at, e.owed_at
            from entry e join page p on p.id = e.id
            on conflict (id, day) do update
            set last_position = excluded.last_position, tried_up_to = greatest(d.tried_up_to, excluded.tried_up_to),
              changed = case when d.changed is not null then array(select unnest(d.changed) union select unnest(excluded.changed)) end, documents = excluded.documents, state = excluded.state,
              attempts = excluded.attempts, updated_at = now(), last_outcome = excluded.last_outcome,
              next_attempt_at = excluded.next_attempt_at
            returning d.endpoint_id, 'page' as origin, d.owed_at, d.state, d.xmax = 0 as is_new)
          """
          + EndpointHours.ADD_CHANGED;

  /** A page is looked for from a capture of it, so it must not span many more positions. */
  public static final int SPAN_MAX = 1_000;

  /**
   * An entry.
   *
   * @param afterPosition of the stream, that before its first capture, at most {@link #SPAN_MAX}
   *     before the last
   * @param changed the captures of a page of changes; null of the stream
   * @param documented those of them whose documents it has
   */
  public record Entry(
      LogEntry entry,
      long afterPosition,
      long lastPosition,
      int documents,
      @Nullable List<UUID> changed,
      @Nullable List<UUID> documented) {
    public static Entry ofStream(
        LogEntry entry, long afterPosition, long lastPosition, int documents) {
      return new Entry(entry, afterPosition, lastPosition, documents, null, null);
    }

    /** Positions are the numbers of changes. */
    public static Entry ofChanges(
        LogEntry entry,
        long afterPosition,
        long lastPosition,
        List<UUID> changed,
        List<UUID> documented) {
      return new Entry(entry, afterPosition, lastPosition, changed.size(), changed, documented);
    }
  }

  private final LogDays days;

  public PageLog(LogDays days) {
    this.days = days;
  }

  /** No two of the same page. If this fails, some may have been written. */
  public Future<Void> write(SqlClient client, List<Entry> entries) {
    List<Future<?>> writes = new ArrayList<>();
    Map<LocalDate, List<Entry>> byDay =
        entries.stream()
            .collect(Collectors.groupingBy(each -> days.of(each.entry().delivery().owedAt())));
    byDay.forEach((day, ofDay) ->
        writes.add(
            client
                .preparedQuery(WRITE.formatted(LogDays.attempts(day), LogDays.pages(day)))
                .execute(rows(day, ofDay))));
    return Future.all(writes).mapEmpty();
  }

  private static Tuple rows(LocalDate day, List<Entry> entries) {
    Tuple rows = LogRows.of(day, entries.stream().map(Entry::entry).toList());
    Columns<Entry> columns = new Columns<>(entries, rows);
    columns.add(Entry::afterPosition, Long[]::new);
    columns.add(Entry::lastPosition, Long[]::new);
    columns.add(Entry::documents, Integer[]::new);
    columns.add(entry -> array(entry.changed()), String[]::new);
    columns.add(entry -> array(entry.documented()), String[]::new);
    return rows;
  }

  private static @Nullable String array(@Nullable List<UUID> ids) {
    return ids == null
        ? null
        : ids.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
