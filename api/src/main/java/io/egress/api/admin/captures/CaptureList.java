package io.egress.api.admin.captures;

import static java.util.stream.Collectors.joining;

import io.egress.api.call.Turns;
import io.egress.platform.database.Rows;
import io.egress.platform.http.PathIds;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists the captures in a workspace's stream, newest first. Filters are applied to a bounded number
 * of captures per page, so a page may hold fewer entries than asked for, or none, without being the
 * last.
 */
public final class CaptureList {
  /** The most captures examined for one page. */
  private static final int EXAMINED_MAX = 20_000;

  private static final int EXAMINED_AT_A_TIME = 2_000;

  /** Members or devices with a name that contains the text of a filter. */
  private static final int NAMED_MAX = 1_000;

  private static final String BOUNDS =
      """
      select coalesce(stream_position_before(id, $2), stream_head) as high,
        coalesce(stream_position_before(id, $3), 0) as low
      from workspaces where id = $1
      """;

  private static final String POSITION =
      "select position from stream where workspace_id = $1 and capture_id = $2";

  private static final String NAMED =
      """
      select id from %s where workspace_id = $1 and (id = $2 or strpos(folded(name), folded($3)) > 0)
      order by id limit %d
      """;

  private static final String MEMBERS = NAMED.formatted("members", NAMED_MAX);
  private static final String DEVICES = NAMED.formatted("devices", NAMED_MAX);

  private static final String LIST =
      """
      select s.position, s.entered_at, c.id, c.title, c.mode, c.started_at, c.duration_ms, c.erased_at,
        d.name as device, cardinality(c.members) as speakers,
        array(select m.name from unnest(c.members) with ordinality as p(id, nth)
          join members m on m.workspace_id = c.workspace_id and m.id = p.id
          where m.name is not null order by p.nth) as members
      from stream s join captures c on c.id = s.capture_id
        left join devices d on d.workspace_id = c.workspace_id and d.id = c.device_id and c.erased_at is null
      where s.workspace_id = $1 and s.position > $2 and s.position <= $3
        and ($4::text is null or strpos(%s, folded($4)) > 0)
        and ($5::uuid[] is null or c.members && $5)
        and ($6::uuid[] is null or c.device_id = any($6))
        and ($7::text is null or c.mode = $7)
        and (c.erased_at is null or num_nonnulls($4, $5, $6, $7) = 0)
      order by s.position desc limit $8
      """
          .formatted(Captures.SEARCHED_TITLE);

  /**
   * A capture in the list.
   *
   * @param title null if it has none, or was erased
   * @param speakers how many there are
   * @param members the names of those that were recognized
   * @param erasedAt null unless it was erased
   */
  public record ListedCapture(
      UUID id,
      long position,
      @Nullable String title,
      @Nullable String mode,
      @Nullable Instant startedAt,
      @Nullable Long durationMs,
      @Nullable String device,
      int speakers,
      List<String> members,
      Instant enteredAt,
      @Nullable Instant erasedAt) {
    public ListedCapture {
      members = List.copyOf(members);
    }

    public String shownTitle() {
      return Captures.shownTitle(title, erasedAt);
    }

    /** The names, and how many have none; empty if nobody spoke. */
    public String shownSpeakers() {
      int unnamed = speakers - members.size();
      return Stream.concat(
              members.stream(), unnamed > 0 ? Stream.of(unnamed + " unnamed") : Stream.of())
          .collect(joining(", "));
    }
  }

  /** {@code next} is null on the last page. */
  public record Page(List<ListedCapture> captures, @Nullable String next) {
    public Page {
      captures = List.copyOf(captures);
    }
  }

  /** Which captures are wanted, with names resolved to ids; null does not limit. */
  private record Wanted(
      UUID workspaceId,
      @Nullable String title,
      @Nullable List<UUID> members,
      @Nullable List<UUID> devices,
      @Nullable String mode) {
    boolean isAll() {
      return title == null && members == null && devices == null && mode == null;
    }
  }

  private final Pool pool;
  private final Turns turns;

  public CaptureList(Pool pool, Turns turns) {
    this.pool = pool;
    this.turns = turns;
  }

  public Page page(UUID workspaceId, CaptureFilter filter) {
    String search = filter.search();
    UUID id = search == null ? null : PathIds.uuid(search.strip()).orElse(null);
    Row bounds =
        Rows.one(Rows.of(pool, BOUNDS, workspaceId, filter.to(), filter.from()), row -> row)
            .orElse(null);
    if (bounds == null) {
      return new Page(List.of(), null);
    }
    Long before = filter.before();
    long low = bounds.getLong("low");
    long high =
        before == null ? bounds.getLong("high") : Math.min(bounds.getLong("high"), before - 1);
    if (id != null) {
      long position = position(workspaceId, id);
      low = Math.max(low, position - 1);
      high = Math.min(high, position);
    }
    return page(wanted(workspaceId, filter, id == null ? search : null), low, high, filter.limit());
  }

  /** 0 if the capture is not in the stream. */
  private long position(UUID workspaceId, UUID id) {
    return Rows.one(Rows.of(pool, POSITION, workspaceId, id), row -> row.getLong("position"))
        .orElse(0L);
  }

  private Wanted wanted(UUID workspaceId, CaptureFilter filter, @Nullable String title) {
    return new Wanted(
        workspaceId,
        title,
        named(MEMBERS, workspaceId, filter.member()),
        named(DEVICES, workspaceId, filter.device()),
        filter.mode() == null ? null : filter.mode().wireName());
  }

  private @Nullable List<UUID> named(String query, UUID workspaceId, @Nullable String text) {
    return text == null
        ? null
        : Rows.list(
            Rows.of(pool, query, workspaceId, PathIds.uuid(text.strip()).orElse(null), text),
            row -> row.getUUID("id"));
  }

  private Page page(Wanted wanted, long low, long newest, int limit) {
    List<ListedCapture> found = new ArrayList<>();
    long high = newest;
    while (high > low && found.size() <= limit && newest - high < EXAMINED_MAX) {
      long bottom = wanted.isAll() ? low : Math.max(low, high - EXAMINED_AT_A_TIME);
      long upTo = high;
      int missing = limit + 1 - found.size();
      found.addAll(
          wanted.isAll()
              ? read(wanted, bottom, upTo, missing)
              : turns.take(() -> read(wanted, bottom, upTo, missing)));
      high = bottom;
    }
    if (found.size() > limit) {
      List<ListedCapture> page = found.subList(0, limit);
      return new Page(page, CaptureFilter.cursor(page.get(limit - 1).position()));
    }
    return new Page(found, high > low ? CaptureFilter.cursor(high + 1) : null);
  }

  private List<ListedCapture> read(Wanted wanted, long above, long upTo, int max) {
    return Rows.list(
        Rows.of(
            pool,
            LIST,
            wanted.workspaceId(),
            above,
            upTo,
            wanted.title(),
            ids(wanted.members()),
            ids(wanted.devices()),
            wanted.mode(),
            max),
        CaptureList::listed);
  }

  private static UUID @Nullable [] ids(@Nullable List<UUID> ids) {
    return ids == null ? null : ids.toArray(UUID[]::new);
  }

  private static ListedCapture listed(Row row) {
    Instant erasedAt = Rows.optionalInstant(row, "erased_at");
    boolean erased = erasedAt != null;
    return new ListedCapture(
        row.getUUID("id"),
        row.getLong("position"),
        row.getString("title"),
        erased ? null : row.getString("mode"),
        erased ? null : Rows.instant(row, "started_at"),
        erased ? null : row.getLong("duration_ms"),
        row.getString("device"),
        row.getInteger("speakers"),
        List.of(row.getArrayOfStrings("members")),
        Rows.instant(row, "entered_at"),
        erasedAt);
  }
}
