package io.egress.api.keys;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.KeyBody.NewKey;
import io.egress.api.workspace.Workspaces;
import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.database.Transactions;
import io.egress.document.UtcInstant;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates, lists and deletes API keys. Only a hash of the token is stored. A rejected operation
 * fails with a {@link Refusal}.
 */
public final class ApiKeys {
  /** A key without its token. */
  public record Shown(
      UUID id,
      String name,
      String lastFour,
      Instant createdAt,
      @Nullable String createdBy,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {}

  /** A new key with its token, which is shown only once. */
  public record Minted(Shown key, ApiKey token) {}

  private static final String SHOWN =
      "id, name, last_four, created_at, created_by, expires_at, last_used_at";
  private static final String ADD =
      """
      insert into api_keys (id, workspace_id, name, hash, last_four, created_by, expires_at)
      values ($1, $2, $3, $4, $5, $6, now() + $7::bigint * interval '1 ms')
      returning %s
      """
          .formatted(SHOWN);
  private static final String LIST =
      "select " + SHOWN + " from api_keys where workspace_id = $1 order by created_at, id";
  private static final String DELETE =
      "delete from api_keys where workspace_id = $1 and id = $2 returning " + SHOWN;

  private final Pool pool;
  private final Transactions transactions;

  public ApiKeys(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
    this.transactions = new Transactions(pool);
  }

  public Future<Minted> mint(Caller caller, UUID workspaceId, NewKey key) {
    return Workspaces.name(pool, workspaceId)
        .compose(named -> transactions.run(tx -> mint(tx, caller, workspaceId, key)));
  }

  /** The workspace must exist. */
  Future<Minted> mint(SqlConnection tx, Caller caller, UUID workspaceId, NewKey key) {
    ApiKey token = ApiKey.mint();
    Duration expiresIn = key.expiresIn();
    return Workspaces.requireOpen(tx, workspaceId)
        .compose(
            open ->
                tx.preparedQuery(ADD)
                    .execute(
                        Tuple.of(
                            UUID.randomUUID(),
                            workspaceId,
                            key.name(),
                            Buffer.buffer(token.hash()),
                            token.lastFour(),
                            caller.actor(),
                            expiresIn == null ? null : expiresIn.toMillis())))
        .map(rows -> shown(rows.iterator().next()))
        .compose(
            minted ->
                log(tx, workspaceId, caller, "api_key.created", minted)
                    .map(new Minted(minted, token)));
  }

  /** Oldest first, including expired ones. */
  public Future<List<Shown>> list(UUID workspaceId) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(workspaceId))
        .map(
            rows -> {
              List<Shown> keys = new ArrayList<>(rows.size());
              rows.forEach(row -> keys.add(shown(row)));
              return keys;
            });
  }

  public Future<Void> delete(Caller caller, UUID workspaceId, UUID id) {
    return transactions.run(
        tx ->
            tx.preparedQuery(DELETE)
                .execute(Tuple.of(workspaceId, id))
                .compose(rows -> log(tx, workspaceId, caller, "api_key.deleted", deleted(rows))));
  }

  private static Shown deleted(RowSet<Row> rows) {
    RowIterator<Row> row = rows.iterator();
    if (!row.hasNext()) {
      throw new Refusal(404, "no such key in this workspace");
    }
    return shown(row.next());
  }

  private static Future<Void> log(
      SqlClient tx, UUID workspaceId, Caller caller, String action, Shown key) {
    JsonObject changes = new JsonObject().put("name", key.name());
    if (key.expiresAt() != null) {
      changes.put("expires_at", UtcInstant.format(key.expiresAt()));
    }
    return AuditLog.write(tx, workspaceId, caller, new Act(action, "api_key", key.id(), changes));
  }

  private static Shown shown(Row row) {
    return new Shown(
        row.getUUID("id"),
        row.getString("name"),
        row.getString("last_four"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getString("created_by"),
        instant(row, "expires_at"),
        instant(row, "last_used_at"));
  }

  private static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }
}
