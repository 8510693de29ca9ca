package io.egress.api.admin.keys;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import io.egress.api.intake.CreationPlace;
import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How far the keys of a workspace have read, by what the ledger says that each was sent. Of a key
 * that several clients use, that is the furthest of them.
 */
public final class Readers {
  /** Counted of a key with a filter, and of changes. */
  public static final int COUNTED_MAX = 1_000;

  /** A client that reads asks more often. */
  private static final String STOPPED_AFTER = "1 hour";

  /** In SQL, the newest position of the workspace {@code w} that a key without a filter is sent. */
  public static final String READABLE_HEAD =
      """
      coalesce((
        select first_position - 1 from erased_spans
        where workspace_id = w.id and last_position = w.stream_head), w.stream_head)\
      """;

  private static final String LIST =
      """
      with heads as materialized (
        select %s as captures, coalesce((select number from change_heads where workspace_id = w.id), 0) as changes
        from workspaces w where w.id = $1)
      select k.id, k.created_at, k.name, k.last_four, k.expires_at, k.last_used_at, r.by_id_since is not null as reads_by_id,
        k.last_used_at > now() - interval '%s' as is_recent,
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
          .formatted(READABLE_HEAD, STOPPED_AFTER, COUNTED_MAX, COUNTED_MAX, COUNTED_MAX);

  /** What a reader does with a feed. */
  public enum State {
    /** It was sent nothing of it. */
    NEVER,
    READING,
    /** There is something new for it, and it has not asked for an hour. */
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
   * A key that reads.
   *
   * @param readsById whether it also reads single captures, which counts for no position
   */
  public record Reader(
      UUID keyId,
      @JsonIgnore Instant createdAt,
      String name,
      String lastFour,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt,
      boolean readsById,
      Place captures,
      Place changes) {}

  private final Pool pool;

  public Readers(Pool pool) {
    this.pool = pool;
  }

  /** In the order of the list of keys. */
  public List<Reader> list(UUID workspaceId) {
    return list(workspaceId, CreationPlace.FIRST, Integer.MAX_VALUE);
  }

  /** The next {@code max} of them after a place. */
  public List<Reader> list(UUID workspaceId, CreationPlace after, int max) {
    return Rows.list(
        Rows.of(pool, LIST, workspaceId, after.createdAt(), after.id(), max), Readers::reader);
  }

  private static Reader reader(Row row) {
    return new Reader(
        row.getUUID("id"),
        Rows.instant(row, "created_at"),
        row.getString("name"),
        row.getString("last_four"),
        Rows.optionalInstant(row, "expires_at"),
        Rows.optionalInstant(row, "last_used_at"),
        row.getBoolean("reads_by_id"),
        place(row, ""),
        place(row, "change_"));
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
