package io.egress.webhook.turn;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Rows;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.PageLog;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The page that is due to an endpoint: what its receiver would have read next, had it pulled when
 * the page became due.
 *
 * @param after the cursor before it; null at the beginning of the feed
 * @param isDue false if the endpoint rests
 * @param attempts those that were made of it
 * @param size the most captures, as was learned from the receiver
 * @param isSet whether its end was written before; then it may have been sent
 * @param entries what is left of it
 * @param end the cursor after it; null if nothing is wanted of what was looked at
 * @param lookedUpTo what is done with when it was accepted
 * @param hasNext whether there is more to look at then
 */
public record DuePage(
    UUID endpointId,
    Feed feed,
    @Nullable Cursor after,
    boolean isDue,
    int attempts,
    int size,
    boolean isSet,
    List<Entry> entries,
    @Nullable Cursor end,
    long lookedUpTo,
    boolean hasNext) {
  /**
   * A capture.
   *
   * @param place in the stream
   * @param length of its document; 0 if it has to be rendered again, or has none
   * @param change what has become of it; null in the stream
   */
  public record Entry(
      Cursor cursor, UUID captureId, long place, long length, @Nullable Change change) {
    /** {@code reason} is that of an erasure; null if the capture was not erased. */
    record Change(Instant at, @Nullable String reason) {
      private static final int BYTES = 200;

      /** Of what is around the document, at most. */
      private long length() {
        return BYTES + (reason == null ? 0 : BYTES_OF_CHARACTER * (long) reason.length());
      }
    }

    private static final int BYTES_OF_CHARACTER = 6;

    public boolean isErased() {
      return change != null && change.reason != null;
    }

    /** Of the body. */
    private long bytes() {
      return length + (change == null ? 0 : change.length());
    }

    private Content.Page.Entry content(@Nullable DocumentHead head) {
      return change == null
          ? Content.Page.Entry.ofStream(captureId, requireNonNull(head))
          : Content.Page.Entry.ofChange(captureId, change.at, head, change.reason);
    }
  }

  /** Positions looked at for one page, so that what is not wanted never holds up others. */
  private static final int LOOKED_AT_MAX = PageLog.SPAN_MAX;

  /**
   * Positions of the stream have no gaps; numbers of changes have one for each that a newer change
   * has replaced. A row without a capture if there is none.
   */
  private static final String READ =
      """
      select t.endpoint_id as id, t.feed, t.page_after as position, t.due_at is not null as is_due, t.attempts, t.size, t.max_body,
        t.page_end, t.page_up_to, r.read_up_to, t.feed = 'captures' or wants_changes(e.spec) as is_wanted,
        coalesce(t.looked_up_to, least(t.page_up_to, case t.feed
          when 'captures' then t.read_up_to + %1$d
          else (select number from changes where workspace_id = e.workspace_id and number > t.changes_read_up_to
            order by number offset %1$d - 1 limit 1) end)) as looked_up_to,
        p.chain, p.end_chain, c.position as entry_position, c.chain as entry_chain, c.capture_id, c.place, c.changed_at, c.reason,
        coalesce(d.length, 0) as length
      from turns t join endpoints e on e.id = t.endpoint_id
      cross join lateral (
        select case t.feed when 'captures' then t.read_up_to else t.changes_read_up_to end as read_up_to) r
      cross join lateral (
        select (select chain from stream where workspace_id = e.workspace_id and position = t.page_after),
          (select chain from stream where workspace_id = e.workspace_id and position = t.page_end)
        where t.feed = 'captures'
        union all
        select change_mark(e.workspace_id, t.page_after), change_mark(e.workspace_id, t.page_end) where t.feed = 'changes') p (chain, end_chain)
      left join lateral (
        (select s.position, s.chain, s.capture_id, s.position as place, null::timestamptz as changed_at, null::text as reason
        from (
          select * from stream
          where t.feed = 'captures' and workspace_id = e.workspace_id and position > t.read_up_to
            and position <= coalesce(t.page_end, t.page_up_to)
          order by position limit %1$d) s
        where (e.filters = '[]' or admits(e.filters, s::stream)) and not exists (select from erasures x where x.capture_id = s.capture_id)
        order by s.position limit t.size + 1)
        union all
        (select x.number, change_mark(x.workspace_id, x.number), x.capture_id, s.position, x.changed_at, a.reason
        from (
          select * from changes
          where t.feed = 'changes' and workspace_id = e.workspace_id and number > t.changes_read_up_to
            and number <= coalesce(t.page_end, t.page_up_to)
          order by number limit %1$d) x
        cross join lateral (select * from stream where capture_id = x.capture_id limit 1) s
        left join erasures a on a.capture_id = x.capture_id
        where (e.filters = '[]' or admits(e.filters, s::stream)) and e.spec->'events' ? case when x.erased then 'capture.erased' else 'capture.updated' end
        order by x.number limit t.size + 1)) c on true
      left join documents d on d.capture_id = c.capture_id and c.reason is null
      where t.endpoint_id = any($1)
      order by t.endpoint_id, c.position
      """
          .formatted(LOOKED_AT_MAX);

  private static final String NOWHERE = "{}";

  private static final String SET =
      """
      with pages as (
        select * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
          as u(endpoint_id, feed, position, page_end, looked_up_to)),
      locked as materialized (
        select t.endpoint_id from pages p join turns t on t.endpoint_id = p.endpoint_id
        order by t.endpoint_id for no key update of t)
      update turns t set page_end = p.page_end, looked_up_to = p.looked_up_to
      from pages p join locked l on l.endpoint_id = p.endpoint_id
      where t.endpoint_id = p.endpoint_id and t.feed = p.feed and t.page_after = p.position and t.page_end is null
        and case t.feed when 'captures' then t.read_up_to else t.changes_read_up_to end < p.page_end
        and t.page_up_to >= p.page_end
      returning t.endpoint_id as id
      """;

  public DuePage {
    entries = List.copyOf(entries);
  }

  /** Keyed by endpoint. Those that are sent no pages, or were deleted, are left out. */
  public static Future<Map<UUID, DuePage>> read(SqlClient client, Collection<UUID> endpointIds) {
    return client
        .preparedQuery(READ)
        .execute(Tuple.tuple().addArrayOfUUID(endpointIds.toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, List<Row>> byEndpoint = new HashMap<>();
          rows.forEach(row ->
              byEndpoint.computeIfAbsent(row.getUUID("id"), _ -> new ArrayList<>()).add(row));
          Map<UUID, DuePage> pages = new HashMap<>();
          byEndpoint.forEach((id, its) -> pages.put(id, of(id, its)));
          return pages;
        });
  }

  /**
   * Writes where the pages end that are to be sent for the first time. Returns the endpoints of
   * those that are not due any more.
   */
  public static Future<Set<UUID>> set(SqlClient client, Collection<DuePage> pages) {
    List<DuePage> sorted =
        pages.stream().sorted(Comparator.comparing(DuePage::endpointId)).toList();
    if (sorted.isEmpty()) {
      return Future.succeededFuture(Set.of());
    }
    Set<UUID> gone = new HashSet<>();
    sorted.forEach(page -> gone.add(page.endpointId));
    return client
        .preparedQuery(SET)
        .execute(
            Tuple.of(
                sorted.stream().map(DuePage::endpointId).toArray(UUID[]::new),
                sorted.stream().map(page -> page.feed.word()).toArray(String[]::new),
                sorted.stream().map(DuePage::position).toArray(Long[]::new),
                sorted.stream().map(DuePage::endPosition).toArray(Long[]::new),
                (Object) sorted.stream().map(DuePage::lookedUpTo).toArray(Long[]::new)))
        .map(rows -> {
          rows.forEach(row -> gone.remove(row.getUUID("id")));
          return gone;
        });
  }

  private static DuePage of(UUID endpointId, List<Row> rows) {
    Row first = rows.getFirst();
    List<Entry> entries = new ArrayList<>();
    for (Row row : rows) {
      if (row.getLong("entry_position") != null) {
        entries.add(
            new Entry(
                cursor(row, "entry_position", "entry_chain"),
                row.getUUID("capture_id"),
                row.getLong("place"),
                row.getLong("length"),
                change(row)));
      }
    }
    boolean isWanted = first.getBoolean("is_wanted");
    Long end = isWanted ? first.getLong("page_end") : null;
    boolean isDue = first.getBoolean("is_due");
    DuePage all =
        new DuePage(
            endpointId,
            Feed.of(first.getString("feed")),
            first.getLong("position") == 0 ? null : cursor(first, "position", "chain"),
            isDue,
            first.getInteger("attempts"),
            first.getInteger("size"),
            end != null,
            isWanted ? entries : List.of(),
            end == null ? null : cursor(first, "page_end", "end_chain"),
            isDue ? first.getLong(isWanted ? "looked_up_to" : "read_up_to") : 0,
            isDue && first.getLong("looked_up_to") < first.getLong("page_up_to"));
    return end == null ? all.cut(first.getInteger("max_body")) : all;
  }

  private static Entry.@Nullable Change change(Row row) {
    Instant at = Rows.optionalInstant(row, "changed_at");
    return at == null ? null : new Entry.Change(at, row.getString("reason"));
  }

  private static Cursor cursor(Row row, String position, String chain) {
    return new Cursor(row.getLong(position), row.getLong(chain));
  }

  /** As many captures as the page may have, by their number and their bytes together. */
  private DuePage cut(int maxBody) {
    int count = 0;
    long bytes = 0;
    while (count < Math.min(size, entries.size())) {
      bytes += entries.get(count).bytes();
      if (count > 0 && Content.Page.lengthWith(bytes, count + 1) > maxBody) {
        break;
      }
      count++;
    }
    if (count == 0) {
      return this;
    }
    boolean isAll = count == entries.size();
    List<Entry> kept = entries.subList(0, count);
    Cursor last = kept.getLast().cursor();
    return new DuePage(
        endpointId,
        feed,
        after,
        isDue,
        attempts,
        size,
        false,
        kept,
        last,
        isAll ? lookedUpTo : last.position(),
        hasNext || !isAll);
  }

  /** Whether the record stands for the next attempt of this page. */
  public boolean isOf(Delivery turn) {
    return isDue
        && turn.origin() == Origin.ofPage(feed)
        && turn.position() == position()
        && turn.attempt() == attempts + 1;
  }

  /** Without documents of captures that were erased since it was read. */
  public DuePage without(Collection<UUID> erased) {
    List<Entry> kept =
        entries.stream()
            .filter(entry -> entry.isErased() || !erased.contains(entry.captureId()))
            .toList();
    return kept.size() == entries.size()
        ? this
        : new DuePage(
            endpointId, feed, after, isDue, attempts, size, isSet, kept, end, lookedUpTo, hasNext);
  }

  private long position() {
    return after == null ? 0 : after.position();
  }

  /** Of its documents. */
  public long bytes() {
    return entries.stream().mapToLong(Entry::length).sum();
  }

  /** The captures whose documents it has. */
  public List<UUID> documents() {
    return entries.stream().filter(entry -> !entry.isErased()).map(Entry::captureId).toList();
  }

  /** As the log has it. Only of a page that is sent. */
  PageLog.Entry logged(LogEntry entry) {
    return switch (feed) {
      case CAPTURES ->
          PageLog.Entry.ofStream(entry, firstPosition() - 1, endPosition(), entries.size());
      case CHANGES ->
          PageLog.Entry.ofChanges(
              entry,
              position(),
              endPosition(),
              entries.stream().map(Entry::captureId).toList(),
              documents());
    };
  }

  /** Of its first capture that is left; its end if there is none. */
  private long firstPosition() {
    return entries.isEmpty() ? endPosition() : entries.getFirst().cursor().position();
  }

  /** Only of a page that is sent. */
  public long endPosition() {
    if (end == null) {
      throw new IllegalStateException("the page of " + endpointId + " has no end");
    }
    return end.position();
  }

  /** The places in the stream of what it says, as multiranges. */
  Places places() {
    return switch (feed) {
      case CAPTURES -> new Places(places(_ -> true), NOWHERE, NOWHERE);
      case CHANGES ->
          new Places(NOWHERE, places(entry -> !entry.isErased()), places(Entry::isErased));
    };
  }

  /** Of captures that entered the stream, that were updated, and that were erased. */
  record Places(String delivered, String updated, String erased) {}

  private String places(Predicate<Entry> which) {
    return entries.stream()
        .filter(which)
        .map(entry -> "[" + entry.place() + "," + entry.place() + "]")
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** {@code heads} has those of {@link #documents}; it has an end. */
  public Content.Page content(Map<UUID, DocumentHead> heads) {
    if (end == null) {
      throw new IllegalStateException("the page of " + endpointId + " has no end");
    }
    return new Content.Page(
        feed,
        after,
        entries.stream()
            .map(entry -> entry.content(entry.isErased() ? null : heads.get(entry.captureId())))
            .toList(),
        end,
        hasNext);
  }
}
