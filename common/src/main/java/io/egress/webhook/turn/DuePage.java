package io.egress.webhook.turn;

import io.egress.transcript.stream.Cursor;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.PageLog;
import io.egress.webhook.send.Content;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The page that is due to an endpoint: the captures that its receiver would have read next, had it
 * pulled when the page became due.
 *
 * @param after the cursor before it; null at the beginning of the stream
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
    @Nullable Cursor after,
    boolean isDue,
    int attempts,
    int size,
    boolean isSet,
    List<Entry> entries,
    @Nullable Cursor end,
    long lookedUpTo,
    boolean hasNext) {
  /** A capture, with the length of its document; 0 if it has to be rendered again. */
  public record Entry(Cursor cursor, UUID captureId, long length) {}

  /** Positions looked at for one page, so that what is not wanted never holds up others. */
  private static final int LOOKED_AT_MAX = PageLog.SPAN_MAX;

  /** Positions have no gaps. A row without a capture if there is none. */
  private static final String READ =
      """
      select t.endpoint_id as id, t.position, t.due_at is not null as is_due, t.attempts, t.size, t.max_body, t.page_end, t.page_up_to,
        coalesce(t.looked_up_to, least(t.page_up_to, t.read_up_to + %1$d)) as looked_up_to,
        (select chain from stream where workspace_id = e.workspace_id and position = t.position) as chain,
        (select chain from stream where workspace_id = e.workspace_id and position = t.page_end) as end_chain,
        c.position as entry_position, c.chain as entry_chain, c.capture_id, coalesce(d.length, 0) as length
      from turns t join endpoints e on e.id = t.endpoint_id
      left join lateral (
        select s.position, s.chain, s.capture_id
        from (
          select * from stream
          where workspace_id = e.workspace_id and position > t.read_up_to
            and position <= coalesce(t.page_end, t.page_up_to)
          order by position limit %1$d) s
        where admits(e.filters, s::stream) and not exists (select from erasures x where x.capture_id = s.capture_id)
        order by s.position limit t.size + 1) c on true
      left join documents d on d.capture_id = c.capture_id
      where t.endpoint_id = any($1)
      order by t.endpoint_id, c.position
      """
          .formatted(LOOKED_AT_MAX);

  private static final String SET =
      """
      with pages as (
        select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[])
          as u(endpoint_id, position, page_end, looked_up_to)),
      locked as materialized (
        select t.endpoint_id from pages p join turns t on t.endpoint_id = p.endpoint_id
        order by t.endpoint_id for no key update of t)
      update turns t set page_end = p.page_end, looked_up_to = p.looked_up_to
      from pages p join locked l on l.endpoint_id = p.endpoint_id
      where t.endpoint_id = p.endpoint_id and t.position = p.position and t.page_end is null
        and t.read_up_to < p.page_end and t.page_up_to >= p.page_end
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
                row.getLong("length")));
      }
    }
    Long end = first.getLong("page_end");
    boolean isDue = first.getBoolean("is_due");
    DuePage all =
        new DuePage(
            endpointId,
            first.getLong("position") == 0 ? null : cursor(first, "position", "chain"),
            isDue,
            first.getInteger("attempts"),
            first.getInteger("size"),
            end != null,
            entries,
            end == null ? null : cursor(first, "page_end", "end_chain"),
            isDue ? first.getLong("looked_up_to") : 0,
            isDue && first.getLong("looked_up_to") < first.getLong("page_up_to"));
    return end == null ? all.cut(first.getInteger("max_body")) : all;
  }

  private static Cursor cursor(Row row, String position, String chain) {
    return new Cursor(row.getLong(position), row.getLong(chain));
  }

  /** As many captures as the page may have, by their number and their bytes together. */
  private DuePage cut(int maxBody) {
    int count = 0;
    long bytes = 0;
    while (count < Math.min(size, entries.size())) {
      bytes += entries.get(count).length();
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
    return isDue && turn.position() == position() && turn.attempt() == attempts + 1;
  }

  /** Without captures that were erased since it was read. */
  public DuePage without(Collection<UUID> erased) {
    List<Entry> kept =
        entries.stream().filter(entry -> !erased.contains(entry.captureId())).toList();
    return kept.size() == entries.size()
        ? this
        : new DuePage(
            endpointId, after, isDue, attempts, size, isSet, kept, end, lookedUpTo, hasNext);
  }

  private long position() {
    return after == null ? 0 : after.position();
  }

  /** Of its documents. */
  public long bytes() {
    return entries.stream().mapToLong(Entry::length).sum();
  }

  /** Of its first capture that is left; its end if there is none. Only of a page that is sent. */
  long firstPosition() {
    return entries.isEmpty() ? endPosition() : entries.getFirst().cursor().position();
  }

  /** Only of a page that is sent. */
  public long endPosition() {
    if (end == null) {
      throw new IllegalStateException("the page of " + endpointId + " has no end");
    }
    return end.position();
  }

  /** The positions of its captures, as a multirange. */
  String places() {
    return entries.stream()
        .map(entry -> entry.cursor().position())
        .map(place -> "[" + place + "," + place + "]")
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** {@code heads} has the rendered document of each of its captures; it has an end. */
  public Content.Page content(Map<UUID, byte[]> heads) {
    if (end == null) {
      throw new IllegalStateException("the page of " + endpointId + " has no end");
    }
    return new Content.Page(
        after,
        entries.stream().map(Entry::captureId).toList(),
        entries.stream().map(entry -> heads.get(entry.captureId())).toList(),
        end,
        hasNext);
  }
}
