package io.egress.api.admin.keys;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import io.egress.api.intake.CreationPlace;
import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far the readers of a workspace are: its keys, by what the ledger says that each was sent, and
 * the endpoints that are sent the stream itself, by what they have accepted. Of a key that several
 * clients use, that is the furthest of them.
 */
public final class Readers {
  /** Counted of a key with a filter, and of changes. */
  public static final int COUNTED_MAX = 1_000;

  /** A client that reads makes requests more often, unless it is expected to make fewer. */
  private static final Duration STOPPED_AFTER = Duration.ofHours(1);

  /** In SQL, the newest position of the workspace {@code w} that a key without a filter is sent. */
  public static final String READABLE_HEAD =
      """
      coalesce((
        select first_position - 1 from erased_spans
        where workspace_id = w.id and last_position = w.stream_head), w.stream_head)\
      """;

  private static final String KEYS =
      """
      with heads as materialized (
        select %s as captures, coalesce((select number from change_heads where workspace_id = w.id), 0) as changes
        from workspaces w where w.id = $1)
      select k.id, k.created_at, k.name, k.last_four, k.expires_at, k.last_used_at, r.by_id_since is not null as reads_by_id,
        k.expect_within_ms, k.stopped_at,
        k.last_used_at > now() - coalesce(k.expect_within_ms, %d) * interval '1 ms' as is_recent,
        c.position, c.head, cb.behind, cb.oldest_at,
        u.position as change_position, u.head as change_head, ub.behind as change_behind, ub.oldest_at as change_oldest_at
      from heads h cross join api_keys k left join readers r on r.key_id = k.id
        cross join lateral (
          select coalesce(upper(r.captures) - 1, 0) as position,
            case when k.filter is null then h.captures else limited_head(k.workspace_id, k.filter) end as head) c
        left join lateral (
          select case when k.filter is null then c.head - c.position else count(*) end as behind, min(n.entered_at) as oldest_at
          from (
            (select entered_at from stream where workspace_id = k.workspace_id and position > c.position and k.filter is null
              order by position limit 1)
            union all
            (select entered_at from limited_rows(k.workspace_id, k.filter, c.position, %d) where k.filter is not null)) n) cb
          on c.position < c.head
        cross join lateral (
          select coalesce(upper(r.changes) - 1, 0) as position,
            case when k.filter is null then h.changes else limited_changes_head(k.workspace_id, k.filter) end as head) u
        left join lateral (
          select count(*) as behind, min(n.changed_at) as oldest_at from (
            (select changed_at from changes where workspace_id = k.workspace_id and number > u.position and k.filter is null
              order by number limit %d)
            union all
            (select changed_at from limited_changes(k.workspace_id, k.filter, u.position, %d) where k.filter is not null)) n) ub
          on u.position < u.head
      where k.workspace_id = $1 and (k.created_at, k.id) > ($2, $3) order by k.created_at, k.id limit $4
      """
          .formatted(
              READABLE_HEAD, STOPPED_AFTER.toMillis(), COUNTED_MAX, COUNTED_MAX, COUNTED_MAX);

  private static final String STREAM_ENDPOINTS =
      """
      select e.id, e.created_at, coalesce(nullif(e.spec->>'description', ''), e.spec->>'url') as name,
        (select p.updated_at from pages p where p.endpoint_id = e.id order by p.owed_at desc, p.id desc limit 1) as last_used_at,
        t.position, t.position > t.first_position as has_accepted, greatest(0, h.head - t.read_up_to) as behind,
        e.paused or t.failing_since < now() - %d * interval '1 ms' as has_stopped,
        (select min(n.entered_at) from (
          select entered_at from stream where workspace_id = e.workspace_id and position > t.read_up_to
            and position <= h.head
          order by position limit 1) n) as oldest_at,
        wants_changes(e.spec) as wants_changes, t.changes_position as change_position,
        t.changes_position > 0 as change_has_accepted, u.behind as change_behind,
        u.oldest_at as change_oldest_at
      from turns t join endpoints e on e.id = t.endpoint_id
        cross join lateral (select %s as head from workspaces w where w.id = e.workspace_id) h
        left join lateral (
          select count(*) as behind, min(n.changed_at) as oldest_at from (
            select changed_at from changes
            where workspace_id = e.workspace_id and number > t.changes_read_up_to and wants_changes(e.spec)
            order by number limit %d) n) u on true
      where e.workspace_id = $1 and (e.created_at, e.id) > ($2, $3) order by e.created_at, e.id limit $4
      """
          .formatted(STOPPED_AFTER.toMillis(), READABLE_HEAD, COUNTED_MAX);

  /** What a reader does with a feed. */
  public enum State {
    /** It was sent nothing of it. */
    NEVER,
    READING,
    /**
     * There is something new for it, and it has not asked for an hour, or for as long as it is
     * expected to; or an endpoint is paused, or has accepted nothing for an hour.
     */
    STOPPED,
    /** It was sent everything. */
    AT_END;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A feed, as the reader has it.
   *
   * @param position of the furthest entry that it was sent; 0 if there is none
   * @param behind how many entries come after it; of a key without a filter, captures are counted
   *     by their positions, erased ones included, and otherwise at most {@link #COUNTED_MAX}
   * @param oldestAt since when the first of them is there
   */
  public record Place(State state, long position, long behind, @Nullable Instant oldestAt) {}

  /**
   * A key, or an endpoint that is sent the stream itself.
   *
   * @param name of a key; an endpoint's description, or its URL
   * @param lastUsedAt when it asked, or was sent a page, last
   * @param readsById whether it also reads single captures, which counts for no position
   * @param expectWithin how often it is expected to pull; null for no expectation
   * @param stoppedAt when a dispatcher found that it does not, although there is something new for
   *     it
   * @param changes null for an endpoint that is not sent them
   */
  public record Reader(
      @Nullable UUID keyId,
      @Nullable UUID endpointId,
      @JsonIgnore CreationPlace created,
      String name,
      @Nullable String lastFour,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt,
      boolean readsById,
      @Nullable Duration expectWithin,
      @Nullable Instant stoppedAt,
      Place captures,
      @Nullable Place changes) {}

  private final Pool pool;

  public Readers(Pool pool) {
    this.pool = pool;
  }

  /** Where each key is with the captures. */
  public Map<UUID, Place> ofKeys(UUID workspaceId) {
    return Rows.byId(
        Rows.of(
            pool,
            KEYS,
            workspaceId,
            CreationPlace.FIRST.createdAt(),
            CreationPlace.FIRST.id(),
            Integer.MAX_VALUE),
        row -> place(row, ""));
  }

  /** The next {@code max} readers after a place, in the order of their creation. */
  public List<Reader> list(UUID workspaceId, CreationPlace after, int max) {
    List<Reader> all =
        Rows.list(
            Rows.of(pool, KEYS, workspaceId, after.createdAt(), after.id(), max), Readers::key);
    all.addAll(
        Rows.list(
            Rows.of(pool, STREAM_ENDPOINTS, workspaceId, after.createdAt(), after.id(), max),
            Readers::streamEndpoint));
    return all.stream().sorted(comparing(Reader::created, CreationPlace.ORDER)).limit(max).toList();
  }

  private static Reader key(Row row) {
    return new Reader(
        row.getUUID("id"),
        null,
        created(row),
        row.getString("name"),
        row.getString("last_four"),
        Rows.optionalInstant(row, "expires_at"),
        Rows.optionalInstant(row, "last_used_at"),
        row.getBoolean("reads_by_id"),
        Rows.optionalDuration(row, "expect_within_ms"),
        Rows.optionalInstant(row, "stopped_at"),
        place(row, ""),
        place(row, "change_"));
  }

  private static Reader streamEndpoint(Row row) {
    return new Reader(
        null,
        row.getUUID("id"),
        created(row),
        row.getString("name"),
        null,
        null,
        Rows.optionalInstant(row, "last_used_at"),
        false,
        null,
        null,
        streamPlace(row, ""),
        row.getBoolean("wants_changes") ? streamPlace(row, "change_") : null);
  }

  private static Place streamPlace(Row row, String prefix) {
    long behind = row.getLong(prefix + "behind");
    return new Place(
        streamState(row, row.getBoolean(prefix + "has_accepted"), behind),
        row.getLong(prefix + "position"),
        behind,
        Rows.optionalInstant(row, prefix + "oldest_at"));
  }

  private static State streamState(Row row, boolean hasAccepted, long behind) {
    if (behind == 0) {
      return State.AT_END;
    }
    if (Boolean.TRUE.equals(row.getBoolean("has_stopped"))) {
      return State.STOPPED;
    }
    return hasAccepted ? State.READING : State.NEVER;
  }

  private static CreationPlace created(Row row) {
    return new CreationPlace(Rows.instant(row, "created_at"), row.getUUID("id"));
  }

  private static Place place(Row row, String prefix) {
    long position = row.getLong(prefix + "position");
    Long behind = row.getLong(prefix + "behind");
    return new Place(
        state(row, position, row.getLong(prefix + "head")),
        position,
        behind == null ? 0 : behind,
        Rows.optionalInstant(row, prefix + "oldest_at"));
  }

  private static State state(Row row, long position, long head) {
    Boolean isRecent = row.getBoolean("is_recent");
    if (position == 0 && (head > 0 || isRecent == null)) {
      return State.NEVER;
    }
    if (position >= head) {
      return State.AT_END;
    }
    return isRecent != null && isRecent ? State.READING : State.STOPPED;
  }
}
