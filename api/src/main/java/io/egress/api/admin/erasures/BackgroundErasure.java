package io.egress.api.admin.erasures;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.transcript.stream.StreamChanges;
import io.egress.webhook.deliverylog.ReceiverAnswers;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Erases captures that are older than their workspace's retention, and all of a workspace that has
 * ended, oldest first, in chunks with pauses. One process of the fleet works at a time. An erased
 * chunk joins the first span of erased positions, so a new reader starts above it, and the next
 * chunk is found above it, too.
 */
public final class BackgroundErasure {
  /** What readers see as the reason. */
  static final String REASON = "retention";

  private static final String ENDED = "the workspace has ended";

  private static final int CHUNK_MAX = 100;

  /** So no more than 2,000 captures a second. */
  private static final Duration CHUNKS_APART = Duration.ofMillis(50);

  /** Any number that no other advisory lock of the service has. */
  private static final long LOCK_KEY = 0x7265_7465_6e74_696fL;

  private static final String WORKSPACES =
      """
      select id, coalesce(retention_ms, $1) as retention_ms, false as has_ended from workspaces
      where not legal_hold and ended_at is null and coalesce(retention_ms, $1) is not null
      union all
      select id, 0, true from workspaces where ended_at is not null and emptied_at is null
      """;
  private static final String LOCK = "select pg_try_advisory_xact_lock($1) as is_mine";

  private static final String ERASE =
      """
      select capture_id from erase_captures(
        array(select expired_captures($1, now() - $2::bigint * interval '1 ms', $3)), null, $4)
      """;

  /** Members go in a later run while a capture may name them. */
  private static final String FORGET_MEMBERS =
      """
      delete from members where workspace_id = $1 and not exists (
        select from captures where workspace_id = $1 and erased_at is null)
      """;

  private static final String FORGET_RENAMES = "delete from renames where workspace_id = $1";
  private static final String FORGET_DEVICES =
      "update devices set name = null where workspace_id = $1 and name is not null";

  /** No call that began before the end takes as long, so nothing comes after it. */
  private static final String EMPTIED =
      """
      update workspaces w set emptied_at = now()
      where w.id = $1 and w.ended_at < now() - interval '5 minutes'
        and w.stream_head = coalesce((select h.erased from change_heads h where h.workspace_id = w.id), 0)
        and not exists (
          select from captures c where c.workspace_id = w.id and not c.entered and c.erased_at is null)
      """;

  private final Pool pool;
  private final Transactions transactions;
  private final @Nullable Duration standard;

  /** {@code standard} is that of workspaces that have none of their own. */
  public BackgroundErasure(Pool pool, @Nullable Duration standard) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.standard = standard;
  }

  private record Kept(UUID workspaceId, long millis, boolean ended) {}

  /**
   * Returns when nothing is older than it may be. If the database refuses that for a workspace, the
   * others do not wait for it.
   */
  public void run() {
    Deque<Kept> left =
        new ArrayDeque<>(Rows.list(Rows.of(pool, WORKSPACES, standard), BackgroundErasure::kept));
    PgException failed = null;
    // Workspaces take turns, so that a large one does not hold up the others.
    for (Kept kept = left.poll(); kept != null; kept = left.poll()) {
      long begun = System.nanoTime();
      try {
        if (eraseNext(kept)) {
          left.add(kept);
          rest(System.nanoTime() - begun);
        }
      } catch (PgException failure) {
        failed = failure;
      }
    }
    ReceiverAnswers.forgetAll(pool);
    if (failed != null) {
      throw failed;
    }
  }

  /** At least as long as the work took, so that a slow database has time for others. */
  private static void rest(long worked) {
    LockSupport.parkNanos(Math.max(worked, CHUNKS_APART.toNanos() - worked));
  }

  /** Returns whether there may be more to erase. */
  private boolean eraseNext(Kept kept) {
    List<UUID> erased = transactions.call(tx -> eraseChunk(tx, kept));
    StreamChanges.announce(pool, erased);
    ReceiverAnswers.forgetAll(pool);
    if (erased.size() >= CHUNK_MAX) {
      return true;
    }
    if (kept.ended()) {
      forgetNames(kept.workspaceId());
    }
    return false;
  }

  private static Kept kept(Row row) {
    return new Kept(row.getUUID("id"), row.getLong("retention_ms"), row.getBoolean("has_ended"));
  }

  private void forgetNames(UUID workspaceId) {
    for (String statement : List.of(FORGET_RENAMES, FORGET_MEMBERS, FORGET_DEVICES, EMPTIED)) {
      Rows.of(pool, statement, workspaceId);
    }
  }

  /** Returns what was erased; nothing while another process works. */
  private static List<UUID> eraseChunk(SqlConnection tx, Kept kept) {
    if (!Rows.of(tx, LOCK, LOCK_KEY).iterator().next().getBoolean("is_mine")) {
      return List.of();
    }
    String reason = kept.ended() ? ENDED : REASON;
    List<UUID> erased =
        Rows.list(
            Rows.of(tx, ERASE, kept.workspaceId(), kept.millis(), CHUNK_MAX, reason),
            row -> row.getUUID("capture_id"));
    if (!erased.isEmpty() && !kept.ended()) {
      JsonObject changes = new JsonObject().put("captures", erased.size());
      UUID id = kept.workspaceId();
      AuditLog.record(tx, id, Caller.SYSTEM, new Act("captures.expired", "workspace", id, changes));
    }
    return erased;
  }
}
