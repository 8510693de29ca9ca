package io.egress.api.admin.keys;

import io.egress.api.admin.workspaces.Room;
import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.KeyBody;
import io.egress.api.intake.KeyBody.Change;
import io.egress.api.intake.KeyBody.Expectation;
import io.egress.api.intake.KeyBody.Expiry;
import io.egress.api.intake.KeyBody.NewKey;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.Json;
import io.egress.platform.json.UtcInstant;
import io.egress.webhook.delivery.StreamFilter;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates, lists, changes and deletes API keys. Only a hash of the token is stored. A rejected
 * operation fails with a {@link Refusal}.
 *
 * <p>The expiry of a key can be changed until the key has expired. Only {@code extend} can postpone
 * it: whoever shortens it must not extend it by mistake.
 */
public final class ApiKeys {
  /**
   * A key without its token.
   *
   * @param expectWithin how often it is expected to pull; null for no expectation
   * @param stoppedAt when a dispatcher found that it does not, although there is something new for
   *     it
   */
  public record ListedKey(
      UUID id,
      String name,
      String lastFour,
      Instant createdAt,
      @Nullable String createdBy,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt,
      @Nullable Duration expectWithin,
      @Nullable Instant stoppedAt,
      @Nullable StreamFilter filter) {}

  /**
   * A new key.
   *
   * @param key its token, which is shown only once
   */
  public record Minted(
      UUID id,
      String name,
      String key,
      Instant createdAt,
      @Nullable Instant expiresAt,
      @Nullable Duration expectWithin,
      @Nullable StreamFilter filter) {
    /** Keys are never printed. */
    @Override
    public String toString() {
      return "Minted[" + id + ", key withheld]";
    }
  }

  private static final String SHOWN =
      """
      id, name, last_four, created_at, created_by, expires_at, last_used_at, expect_within_ms, stopped_at, filter::text as filter\
      """;
  private static final String ADD =
      """
      insert into api_keys (id, workspace_id, name, hash, last_four, created_by, expires_at, expect_within_ms, filter)
      values ($1, $2, $3, $4, $5, $6, now() + $7::bigint * interval '1 ms', $8, $9)
      returning %s
      """
          .formatted(SHOWN);
  private static final String LIST =
      "select "
          + SHOWN
          + " from api_keys where workspace_id = $1 and (created_at, id) > ($2, $3)"
          + " order by created_at, id limit $4";
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
  private static final String CHANGE_EXPECTATION =
      """
      update api_keys set expect_within_ms = $2,
        stopped_at = case when coalesce(last_used_at, created_at) < now() - $2::bigint * interval '1 ms' then stopped_at end
      where id = $1
      returning %s
      """
          .formatted(SHOWN);
  private static final String STOPPED =
      "select %s from api_keys where workspace_id = $1 and stopped_at is not null order by stopped_at limit $2"
          .formatted(SHOWN);
  private static final String FILLING = "select from trait_filling where not complete";
  private static final String DELETE =
      "delete from api_keys where workspace_id = $1 and id = $2 returning " + SHOWN;

  private final Pool pool;
  private final Transactions transactions;

  public ApiKeys(Pool pool) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
  }

  public Minted mint(Caller caller, UUID workspaceId, NewKey key) {
    Workspaces.name(pool, workspaceId);
    return transactions.call(tx -> mint(tx, caller, workspaceId, key));
  }

  /** The workspace must exist. */
  Minted mint(SqlConnection tx, Caller caller, UUID workspaceId, NewKey key) {
    ApiKey token = ApiKey.mint();
    Workspaces.requireOpen(tx, workspaceId);
    Room.KEYS.require(tx, workspaceId);
    if (key.filter() != null && Rows.of(tx, FILLING).size() > 0) {
      throw new Refusal(
          409,
          "what was stored before the update is still being prepared for keys with a filter; try again"
              + " in some minutes: `egress database` shows how far it is");
    }
    ListedKey minted =
        listed(
            Rows.of(
                    tx,
                    ADD,
                    UUID.randomUUID(),
                    workspaceId,
                    key.name(),
                    token.hash(key.filter() != null),
                    token.lastFour(),
                    caller.actor(),
                    key.expiresIn(),
                    key.expectWithin(),
                    key.filter() == null ? null : Json.object(key.filter()))
                .iterator()
                .next());
    log(tx, workspaceId, caller, "api_key.created", minted);
    return new Minted(
        minted.id(),
        minted.name(),
        token.token(),
        minted.createdAt(),
        minted.expiresAt(),
        minted.expectWithin(),
        minted.filter());
  }

  /** Oldest first, including expired ones. */
  public List<ListedKey> list(UUID workspaceId) {
    return list(workspaceId, CreationPlace.FIRST, Integer.MAX_VALUE);
  }

  /** The next {@code max} of them after a place. */
  public List<ListedKey> list(UUID workspaceId, CreationPlace after, int max) {
    return Rows.list(
        Rows.of(pool, LIST, workspaceId, after.createdAt(), after.id(), max), ApiKeys::listed);
  }

  /** Those that have stopped reading, for the longest first. */
  public List<ListedKey> stopped(UUID workspaceId, int max) {
    return Rows.list(Rows.of(pool, STOPPED, workspaceId, max), ApiKeys::listed);
  }

  public void delete(Caller caller, UUID workspaceId, UUID id) {
    transactions.call(tx -> {
      ListedKey deleted = listed(found(Rows.of(tx, DELETE, workspaceId, id)));
      log(tx, workspaceId, caller, "api_key.deleted", deleted);
      return deleted;
    });
  }

  public ListedKey change(Caller caller, UUID workspaceId, UUID id, Change change) {
    return transactions.call(tx -> {
      Row locked = found(Rows.of(tx, LOCK, workspaceId, id));
      ListedKey before = listed(locked);
      Instant now = Rows.instant(locked, "locked_at");
      requireAlive(before, now);
      ListedKey after = before;
      Expiry expiry = change.expiry();
      if (expiry != null) {
        after = changeExpiry(tx, before, expiry, now);
      }
      Expectation expectation = change.expectation();
      if (expectation != null) {
        after = listed(found(Rows.of(tx, CHANGE_EXPECTATION, id, expectation.within())));
      }
      logChange(tx, workspaceId, caller, before, after);
      return after;
    });
  }

  private static ListedKey changeExpiry(
      SqlConnection tx, ListedKey before, Expiry expiry, Instant now) {
    ListedKey after =
        listed(
            found(Rows.of(tx, CHANGE_EXPIRY, before.id(), expiry.expiresIn(), expiry.expiresAt())));
    requireInReach(after, now);
    if (!expiry.extend() && isLater(before, after)) {
      throw new Refusal(
          409,
          "the key would expire later than it does now, at %s, which requires extend"
              .formatted(time(before)));
    }
    return after;
  }

  private static void requireAlive(ListedKey key, Instant now) {
    if (key.expiresAt() != null && !key.expiresAt().isAfter(now)) {
      throw new Refusal(409, "the key has expired and stays so; create another one");
    }
  }

  private static void requireInReach(ListedKey key, Instant now) {
    Instant expiresAt = key.expiresAt();
    if (expiresAt != null
        && (!expiresAt.isAfter(now) || expiresAt.isAfter(now.plus(KeyBody.LIFETIME_MAX)))) {
      throw new Refusal(
          400,
          "the key must expire in the future, within %s; delete it to reject it at once"
              .formatted(Durations.format(KeyBody.LIFETIME_MAX)));
    }
  }

  private static boolean isLater(ListedKey before, ListedKey after) {
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

  private static void logChange(
      SqlClient tx, UUID workspaceId, Caller caller, ListedKey before, ListedKey after) {
    JsonObject changes = new JsonObject().put("name", after.name());
    if (!Objects.equals(before.expiresAt(), after.expiresAt())) {
      changes.put("expires_at", fromTo(time(before), time(after)));
    }
    if (!Objects.equals(before.expectWithin(), after.expectWithin())) {
      changes.put("expect_within", fromTo(expectation(before), expectation(after)));
    }
    AuditLog.record(
        tx, workspaceId, caller, new Act("api_key.changed", "api_key", after.id(), changes));
  }

  private static JsonObject fromTo(@Nullable String before, @Nullable String after) {
    return new JsonObject().put("from", before).put("to", after);
  }

  private static @Nullable String expectation(ListedKey key) {
    return key.expectWithin() == null ? null : Durations.format(key.expectWithin());
  }

  private static @Nullable String time(ListedKey key) {
    return key.expiresAt() == null ? null : UtcInstant.format(key.expiresAt());
  }

  private static void log(
      SqlClient tx, UUID workspaceId, Caller caller, String action, ListedKey key) {
    JsonObject changes = new JsonObject().put("name", key.name());
    if (key.expiresAt() != null) {
      changes.put("expires_at", time(key));
    }
    if (key.expectWithin() != null) {
      changes.put("expect_within", expectation(key));
    }
    if (key.filter() != null) {
      changes.put("filter", Json.object(key.filter()));
    }
    AuditLog.record(tx, workspaceId, caller, new Act(action, "api_key", key.id(), changes));
  }

  private static ListedKey listed(Row row) {
    String filter = row.getString("filter");
    return new ListedKey(
        row.getUUID("id"),
        row.getString("name"),
        row.getString("last_four"),
        Rows.instant(row, "created_at"),
        row.getString("created_by"),
        Rows.optionalInstant(row, "expires_at"),
        Rows.optionalInstant(row, "last_used_at"),
        Rows.optionalDuration(row, "expect_within_ms"),
        Rows.optionalInstant(row, "stopped_at"),
        filter == null ? null : Json.decode(filter, StreamFilter.class));
  }
}
