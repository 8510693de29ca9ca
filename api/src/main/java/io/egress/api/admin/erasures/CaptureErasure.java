package io.egress.api.admin.erasures;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.stream.StreamChanges;
import io.egress.webhook.deliverylog.ReceiverAnswers;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Erases what captures say, and then what receivers answered. If the call is interrupted in
 * between, {@link BackgroundErasure} completes it.
 */
public final class CaptureErasure {
  private static final String ERASE =
      "select *, erased_at = now() as is_new from erase_capture($1, $2, $3)";

  /** The lock keeps the workspace from being put on hold before the erasure is visible. */
  private static final String HOLD =
      """
      select w.legal_hold and c.erased_at is null as is_held
      from captures c join workspaces w on w.id = c.workspace_id
      where c.id = $1 and ($2::uuid is null or c.workspace_id = $2)
      for key share of w
      """;

  /** {@code workspaceId} is null for whatever workspace. */
  private record Wanted(@Nullable UUID workspaceId, UUID captureId, String reason) {}

  private final Pool pool;
  private final Transactions transactions;

  public CaptureErasure(Pool pool) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
  }

  /** Of a capture that was erased before, returns the erasure of then. */
  public Erasure erase(Caller caller, UUID captureId, String reason) {
    return erase(caller, new Wanted(null, captureId, reason));
  }

  /** Like {@link #erase}, but only if the capture is of the workspace. */
  public Erasure eraseOf(UUID workspaceId, Caller caller, UUID captureId, String reason) {
    return erase(caller, new Wanted(workspaceId, captureId, reason));
  }

  private Erasure erase(Caller caller, Wanted wanted) {
    Erasure erasure = transactions.call(tx -> eraseOnce(tx, caller, wanted));
    StreamChanges.announce(pool, List.of(wanted.captureId()));
    ReceiverAnswers.forget(pool, erasure.workspaceId(), wanted.captureId());
    return erasure;
  }

  private static Erasure eraseOnce(SqlConnection tx, Caller caller, Wanted wanted) {
    boolean isHeld =
        Rows.one(
                Rows.of(tx, HOLD, wanted.captureId(), wanted.workspaceId()),
                row -> row.getBoolean("is_held"))
            .orElseThrow(() -> new Refusal(404, "no such capture"));
    if (isHeld) {
      throw Workspaces.onLegalHold();
    }
    Row row =
        Rows.of(tx, ERASE, wanted.captureId(), caller.actor(), wanted.reason()).iterator().next();
    Erasure erasure = Erasure.of(row);
    if (row.getBoolean("is_new")) {
      JsonObject changes = new JsonObject().put("reason", erasure.reason());
      AuditLog.record(
          tx,
          erasure.workspaceId(),
          caller,
          new Act("capture.erased", "capture", erasure.id(), changes));
    }
    return erasure;
  }
}
