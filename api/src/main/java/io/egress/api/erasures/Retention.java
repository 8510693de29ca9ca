package io.egress.api.erasures;

import static java.util.Objects.requireNonNull;

import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.database.Transactions;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Erases captures that are older than their workspace's retention, oldest first, in chunks. One
 * process of the fleet works at a time. An erased chunk joins the first span of erased positions,
 * so a new reader starts above it, and the next chunk is found above it, too.
 */
public final class Retention {
  /** What readers see as the reason. */
  static final String REASON = "retention";

  private static final int CHUNK_MAX = 100;

  /** Any number that no other advisory lock of the service has. */
  private static final long LOCK_KEY = 0x7265_7465_6e74_696fL;

  private static final String WORKSPACES =
      """
      select id, coalesce(retention_ms, $1) as retention_ms from workspaces
      where not legal_hold and coalesce(retention_ms, $1) is not null
      """;
  private static final String LOCK = "select pg_try_advisory_xact_lock($1) as is_mine";
  private static final String ERASE =
      """
      select e.capture_id
      from (
        select c.id from expired_captures($1, now() - $2::bigint * interval '1 ms', $3) as c(id)
        join workspaces w on w.id = $1 and not w.legal_hold
        order by c.id) as expired
      cross join lateral erase_capture(expired.id, null, $4) as e
      """;

  private final Pool pool;
  private final Transactions transactions;
  private final @Nullable Duration standard;

  /** {@code standard} is that of workspaces that have none of their own. */
  public Retention(Pool pool, @Nullable Duration standard) {
    this.pool = requireNonNull(pool, "pool is null");
    this.transactions = new Transactions(pool);
    this.standard = standard;
  }

  private record Kept(UUID workspaceId, long millis) {}

  /** Completes when nothing is older than it may be. */
  public Future<Void> run() {
    return pool.preparedQuery(WORKSPACES)
        .execute(Tuple.of(standard == null ? null : standard.toMillis()))
        .compose(
            rows -> {
              Deque<Kept> left = new ArrayDeque<>();
              for (Row row : rows) {
                left.add(new Kept(row.getUUID("id"), row.getLong("retention_ms")));
              }
              return next(left);
            });
  }

  /** Workspaces take turns, so that a large one does not hold up the others. */
  private Future<Void> next(Deque<Kept> left) {
    Kept kept = left.poll();
    if (kept == null) {
      return Future.succeededFuture();
    }
    return transactions
        .run(tx -> eraseChunk(tx, kept))
        .compose(
            erased -> {
              if (erased.size() >= CHUNK_MAX) {
                left.add(kept);
              }
              return ReceiverAnswers.forget(pool, kept.workspaceId(), erased);
            })
        .compose(done -> next(left));
  }

  /** Returns what was erased; nothing while another process works. */
  private static Future<List<UUID>> eraseChunk(SqlConnection tx, Kept kept) {
    return tx.preparedQuery(LOCK)
        .execute(Tuple.of(LOCK_KEY))
        .compose(
            locked ->
                locked.iterator().next().getBoolean("is_mine")
                    ? eraseExpired(tx, kept)
                    : Future.succeededFuture(List.of()));
  }

  private static Future<List<UUID>> eraseExpired(SqlConnection tx, Kept kept) {
    return tx.preparedQuery(ERASE)
        .execute(Tuple.of(kept.workspaceId(), kept.millis(), CHUNK_MAX, REASON))
        .compose(
            rows -> {
              List<UUID> erased = new ArrayList<>(rows.size());
              rows.forEach(row -> erased.add(row.getUUID("capture_id")));
              return erased.isEmpty()
                  ? Future.succeededFuture(erased)
                  : record(tx, kept, erased.size()).map(erased);
            });
  }

  private static Future<Void> record(SqlConnection tx, Kept kept, int captures) {
    return AuditLog.write(
        tx,
        kept.workspaceId(),
        Caller.SYSTEM,
        new Act(
            "captures.expired",
            "workspace",
            kept.workspaceId(),
            new JsonObject().put("captures", captures)));
  }
}
