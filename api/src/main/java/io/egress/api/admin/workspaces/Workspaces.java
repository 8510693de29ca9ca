package io.egress.api.admin.workspaces;

import io.egress.api.intake.WorkspaceBody;
import io.egress.platform.database.Rows;
import io.egress.platform.http.Refusal;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Workspaces, which exist as soon as a call names them, until they end. */
public final class Workspaces {
  private static final String NAME =
      """
      with named as (insert into workspaces (id) values ($1) on conflict do nothing)
      select exists (select from workspaces where id = $1 and ended_at is not null) as has_ended
      """;
  private static final String KEEP_OPEN =
      "select ended_at is not null as has_ended from workspaces where id = $1 for key share";
  private static final String EXISTS = "select 1 from workspaces where id = $1";
  private static final String IS_HELD =
      "select legal_hold from workspaces where id = $1 for key share";
  private static final String SHOW =
      """
      select w.name, w.retention_ms, w.legal_hold, coalesce(w.max_endpoints, %1$d) as max_endpoints,
        coalesce(w.max_keys, %1$d) as max_keys, w.ended_at, w.emptied_at, w.stream_head as captures,
        coalesce(h.erased, 0) as erased
      from workspaces w left join change_heads h on h.workspace_id = w.id where w.id = $1
      """
          .formatted(Room.STANDARD);
  private static final String CHANGE =
      """
      update workspaces
      set retention_ms = case when $2 then $3 else retention_ms end, legal_hold = coalesce($4, legal_hold),
        name = case when $5 then $6 else name end, max_endpoints = case when $7 then $8 else max_endpoints end,
        max_keys = case when $9 then $10 else max_keys end
      where id = $1
      """;

  /**
   * Conflicts with {@link #requireOpen}, which the creation of keys and endpoints takes, and with
   * {@link #refuseOnLegalHold} and {@code erase_captures}; not with captures of the stream.
   */
  private static final String LOCK =
      "select legal_hold, ended_at is not null as has_ended from workspaces where id = $1 for update";

  private static final String END = "update workspaces set ended_at = now() where id = $1";

  /**
   * A workspace.
   *
   * @param retention null if it has none of its own
   * @param maxEndpoints how many it may have, as {@code maxKeys}
   * @param erased how many of its captures are erased
   */
  public record Workspace(
      UUID id,
      @Nullable String name,
      @Nullable Duration retention,
      @Nullable Duration effectiveRetention,
      boolean legalHold,
      int maxEndpoints,
      int maxKeys,
      long captures,
      long erased,
      @Nullable Instant endedAt,
      @Nullable Instant emptiedAt) {}

  private Workspaces() {}

  /**
   * Creates the workspace unless it exists, and refuses one that has ended. May wait for a capture
   * being written, so it must not be called in a transaction that holds the stream's lock.
   */
  public static void name(SqlClient client, UUID workspaceId) {
    refuseEnded(client, NAME, workspaceId);
  }

  /**
   * Refuses one that has ended, and keeps it from ending before the transaction does. The workspace
   * must exist.
   */
  public static void requireOpen(SqlConnection tx, UUID workspaceId) {
    refuseEnded(tx, KEEP_OPEN, workspaceId);
  }

  private static void refuseEnded(SqlClient client, String query, UUID workspaceId) {
    if (Rows.of(client, query, workspaceId).iterator().next().getBoolean("has_ended")) {
      throw ended();
    }
  }

  /** For lists: of a workspace that nobody has named they would be empty. */
  public static void require(SqlClient client, UUID workspaceId) {
    if (Rows.of(client, EXISTS, workspaceId).size() == 0) {
      throw unknown();
    }
  }

  /** Keeps the workspace from being put on hold before what the transaction erases is visible. */
  public static void refuseOnLegalHold(SqlConnection tx, UUID workspaceId) {
    boolean isHeld =
        Rows.one(Rows.of(tx, IS_HELD, workspaceId), row -> row.getBoolean("legal_hold"))
            .orElse(false);
    if (isHeld) {
      throw onLegalHold();
    }
  }

  /** {@code standard} is the retention of workspaces that have none of their own. */
  static Optional<Workspace> find(SqlClient client, UUID id, @Nullable Duration standard) {
    return Rows.one(Rows.of(client, SHOW, id), row -> workspace(id, row, standard));
  }

  static Workspace show(SqlClient client, UUID id, @Nullable Duration standard) {
    return find(client, id, standard).orElseThrow(Workspaces::unknown);
  }

  /** Refuses one that has ended. A hold waits for what is being erased. */
  static void change(SqlConnection tx, UUID id, WorkspaceBody body) {
    refuseEnded(tx, Boolean.TRUE.equals(body.legalHold()) ? LOCK : KEEP_OPEN, id);
    Rows.of(
        tx,
        CHANGE,
        id,
        body.changesRetention(),
        body.retention(),
        body.legalHold(),
        body.changesName(),
        body.name(),
        body.changesMaxEndpoints(),
        body.maxEndpoints(),
        body.changesMaxKeys(),
        body.maxKeys());
  }

  /** Returns whether it had not ended before. */
  static boolean end(SqlConnection tx, UUID id) {
    Row workspace = Rows.one(Rows.of(tx, LOCK, id), row -> row).orElseThrow(Workspaces::unknown);
    if (workspace.getBoolean("has_ended")) {
      return false;
    }
    if (workspace.getBoolean("legal_hold")) {
      throw onLegalHold();
    }
    Rows.of(tx, END, id);
    return true;
  }

  private static Workspace workspace(UUID id, Row row, @Nullable Duration standard) {
    Duration own = Rows.optionalDuration(row, "retention_ms");
    return new Workspace(
        id,
        row.getString("name"),
        own,
        own == null ? standard : own,
        row.getBoolean("legal_hold"),
        row.getInteger("max_endpoints"),
        row.getInteger("max_keys"),
        row.getLong("captures"),
        row.getLong("erased"),
        Rows.optionalInstant(row, "ended_at"),
        Rows.optionalInstant(row, "emptied_at"));
  }

  private static Refusal unknown() {
    return new Refusal(404, "no such workspace");
  }

  public static Refusal onLegalHold() {
    return new Refusal(409, "the workspace is on legal hold: nothing of it is erased");
  }

  public static Refusal ended() {
    return new Refusal(410, "the workspace has ended");
  }
}
