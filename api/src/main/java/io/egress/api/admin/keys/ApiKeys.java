package io.egress.api.admin.keys;

import io.egress.api.admin.workspace.Workspaces;
import io.egress.api.intake.KeyBody;
import io.egress.api.intake.KeyBody.Expiry;
import io.egress.api.intake.KeyBody.NewKey;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.UtcInstant;
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
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates, lists, changes and deletes API keys. Only a hash of the token is stored. A rejected
 * operation fails with a {@link Refusal}.
 *
 * <p>The expiry of a key can be changed until the key has expired. It becomes later only if the
 * caller says so: whoever shortens it must not extend it by mistake.
 */
public final class ApiKeys {
  /** A key without its token. */
  public record Listed(
      UUID id,
      String name,
      String lastFour,
      Instant createdAt,
      @Nullable String createdBy,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {}

  /** A new key with its token, which is shown only once. */
  public record Minted(Listed key, ApiKey token) {}

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
  private static final String LOCK =
      """
      select %s, now() as locked_at from api_keys where workspace_id = $1 and id = $2 for no key update
      """
          .formatted(SHOWN);
  private static final String CHANGE_EXPIRY =
      """
      update api_keys set expires_at = coalesce(now() + $2::bigint * interval '1 ms', $3) where id = $1
      returning %s
      """
          .formatted(SHOWN);
  private static final String DELETE =
      "delete from api_keys where workspace_id = $1 and id = $2 returning " + SHOWN;

  private final Pool pool;
  private final Transactions transactions;

  public ApiKeys(Pool pool) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
  }

  public Future<Minted> mint(Caller caller, UUID workspaceId, NewKey key) {
    return Workspaces.name(pool, workspaceId)
        .compose(_ -> transactions.run(tx -> mint(tx, caller, workspaceId, key)));
  }

  /** The workspace must exist. */
  Future<Minted> mint(SqlConnection tx, Caller caller, UUID workspaceId, NewKey key) {
    ApiKey token = ApiKey.mint();
    Duration expiresIn = key.expiresIn();
    return Workspaces.requireOpen(tx, workspaceId)
        .compose(_ ->
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
        .compose(minted ->
            log(tx, workspaceId, caller, "api_key.created", minted).map(new Minted(minted, token)));
  }

  /** Oldest first, including expired ones. */
  public Future<List<Listed>> list(UUID workspaceId) {
    return pool.preparedQuery(LIST)
        .execute(Tuple.of(workspaceId))
        .map(rows -> {
          List<Listed> keys = new ArrayList<>(rows.size());
          rows.forEach(row -> keys.add(shown(row)));
          return keys;
        });
  }

  public Future<Void> delete(Caller caller, UUID workspaceId, UUID id) {
    return transactions.run(tx ->
        tx.preparedQuery(DELETE)
            .execute(Tuple.of(workspaceId, id))
            .compose(rows -> log(tx, workspaceId, caller, "api_key.deleted", shown(found(rows)))));
  }

  public Future<Listed> changeExpiry(Caller caller, UUID workspaceId, UUID id, Expiry expiry) {
    return transactions.run(tx ->
        tx.preparedQuery(LOCK)
            .execute(Tuple.of(workspaceId, id))
            .compose(rows -> changeExpiry(tx, found(rows), expiry))
            .compose(change -> write(tx, workspaceId, caller, change).map(change.after())));
  }

  private record ExpiryChange(Listed before, Listed after) {}

  private static Future<ExpiryChange> changeExpiry(SqlClient tx, Row locked, Expiry expiry) {
    Listed before = shown(locked);
    Instant now = locked.getOffsetDateTime("locked_at").toInstant();
    requireAlive(before, now);
    Duration expiresIn = expiry.expiresIn();
    Instant expiresAt = expiry.expiresAt();
    return tx.preparedQuery(CHANGE_EXPIRY)
        .execute(
            Tuple.of(
                before.id(),
                expiresIn == null ? null : expiresIn.toMillis(),
                expiresAt == null ? null : expiresAt.atOffset(ZoneOffset.UTC)))
        .map(rows -> {
          Listed after = shown(found(rows));
          requireInReach(after, now);
          if (!expiry.extend() && isLater(before, after)) {
            throw new Refusal(
                409,
                "the key would expire later than it does now, at %s, which requires extend"
                    .formatted(time(before)));
          }
          return new ExpiryChange(before, after);
        });
  }

  private static void requireAlive(Listed key, Instant now) {
    if (key.expiresAt() != null && !key.expiresAt().isAfter(now)) {
      throw new Refusal(409, "the key has expired and stays so; create another one");
    }
  }

  private static void requireInReach(Listed key, Instant now) {
    Instant expiresAt = key.expiresAt();
    if (expiresAt != null
        && (!expiresAt.isAfter(now) || expiresAt.isAfter(now.plus(KeyBody.LIFETIME_MAX)))) {
      throw new Refusal(
          400,
          "the key must expire in the future, within %s; delete it to reject it at once"
              .formatted(Durations.format(KeyBody.LIFETIME_MAX)));
    }
  }

  private static boolean isLater(Listed before, Listed after) {
    return before.expiresAt() != null
        && (after.expiresAt() == null || after.expiresAt().isAfter(before.expiresAt()));
  }

  private static Row found(RowSet<Row> rows) {
    RowIterator<Row> row = rows.iterator();
    if (!row.hasNext()) {
      throw new Refusal(404, "no such key in this workspace");
    }
    return row.next();
  }

  private static Future<Void> write(
      SqlClient tx, UUID workspaceId, Caller caller, ExpiryChange change) {
    JsonObject changes =
        new JsonObject()
            .put("name", change.after().name())
            .put(
                "expires_at",
                new JsonObject()
                    .put("from", time(change.before()))
                    .put("to", time(change.after())));
    return AuditLog.write(
        tx,
        workspaceId,
        caller,
        new Act("api_key.changed", "api_key", change.after().id(), changes));
  }

  private static @Nullable String time(Listed key) {
    return key.expiresAt() == null ? null : UtcInstant.format(key.expiresAt());
  }

  private static Future<Void> log(
      SqlClient tx, UUID workspaceId, Caller caller, String action, Listed key) {
    JsonObject changes = new JsonObject().put("name", key.name());
    if (key.expiresAt() != null) {
      changes.put("expires_at", time(key));
    }
    return AuditLog.write(tx, workspaceId, caller, new Act(action, "api_key", key.id(), changes));
  }

  private static Listed shown(Row row) {
    return new Listed(
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
