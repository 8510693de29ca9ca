package io.egress.api.admin.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.call.Answer;
import io.egress.api.call.Call;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.platform.json.Json;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Idempotent creations. A request with an {@code Idempotency-Key} stores its response in the
 * transaction that creates the thing; repeating the key returns that response for a day. The key's
 * row is inserted first, so concurrent repetitions wait for each other in the database.
 */
public final class IdempotentCreations {
  private static final String HEADER = "idempotency-key";
  private static final String REPLAYED = "idempotent-replayed";
  private static final Pattern FORM = Pattern.compile("[\\x21-\\x7e]{1,255}");
  private static final String VALIDITY = "interval '24 hours'";

  private static final String FORGET =
      "delete from idempotency_keys where workspace_id = $1 and collection = $2 and key = $3"
          + " and created_at < now() - "
          + VALIDITY;
  private static final String CLAIM =
      """
      insert into idempotency_keys (workspace_id, collection, key, digest) values ($1, $2, $3, $4)
      on conflict do nothing
      """;
  private static final String FIND =
      """
      select digest, answer from idempotency_keys
      where workspace_id = $1 and collection = $2 and key = $3
      """;
  private static final String KEEP =
      """
      update idempotency_keys set answer = $4
      where workspace_id = $1 and collection = $2 and key = $3
      """;
  private static final String FORGET_OLD =
      """
      delete from idempotency_keys where (workspace_id, collection, key) in (
        select workspace_id, collection, key from idempotency_keys
        where created_at < now() - %s order by created_at limit 100 for update skip locked)
      """
          .formatted(VALIDITY);

  /** The scope of keys for things that belong to no workspace, in collections of their own. */
  private static final UUID NO_WORKSPACE = new UUID(0, 0);

  private final Pool pool;
  private final Transactions transactions;
  private final @Nullable SecretBox secretBox;
  private final String collection;

  /** {@code collection} is the scope of keys within a workspace. */
  public IdempotentCreations(Pool pool, @Nullable SecretBox secretBox, String collection) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.secretBox = secretBox;
    this.collection = collection;
  }

  /**
   * Answers 201 with the result of {@code creation}. The workspace is created before that: this may
   * wait for a capture being written, and must not happen while the creation holds locks.
   */
  public Answer answer(Call call, UUID workspaceId, Function<SqlConnection, Object> creation) {
    Optional<Named> named = named(call, workspaceId);
    Workspaces.name(pool, workspaceId);
    return answer(named, creation);
  }

  /** Like {@link #answer}, for a thing that belongs to no workspace. */
  public Answer answer(Call call, Function<SqlConnection, Object> creation) {
    return answer(named(call, NO_WORKSPACE), creation);
  }

  private Answer answer(Optional<Named> named, Function<SqlConnection, Object> creation) {
    if (named.isEmpty()) {
      return Answer.created(transactions.call(creation));
    }
    Answer answer = transactions.call(tx -> named.get().answer(tx, creation));
    // The answer does not wait for it, and a failure is of no consequence.
    var _ = pool.query(FORGET_OLD).execute();
    return answer;
  }

  private Optional<Named> named(Call call, UUID workspaceId) {
    List<String> given = call.headers(HEADER);
    if (given.isEmpty()) {
      return Optional.empty();
    }
    if (given.size() > 1 || !FORM.matcher(given.get(0)).matches()) {
      throw new Refusal(
          400, "idempotency-key must be given once, as 1 to 255 visible ASCII characters");
    }
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: idempotency-key cannot be used");
    }
    return Optional.of(
        new Named(secretBox, workspaceId, collection, given.get(0), digest(call.rawBody())));
  }

  private static Buffer digest(Buffer body) {
    try {
      return Buffer.buffer(MessageDigest.getInstance("SHA-256").digest(body.getBytes()));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** A creation with an idempotency key. */
  private record Named(
      SecretBox secretBox, UUID workspaceId, String collection, String key, Buffer digest) {
    Answer answer(SqlConnection tx, Function<SqlConnection, Object> creation) {
      Rows.of(tx, FORGET, workspaceId, collection, key);
      boolean claimed = Rows.of(tx, CLAIM, workspaceId, collection, key, digest).rowCount() == 1;
      return claimed ? create(tx, creation) : replay(tx);
    }

    private Answer create(SqlConnection tx, Function<SqlConnection, Object> creation) {
      Object created = creation.apply(tx);
      byte[] sealed = secretBox.seal(Json.encode(created).toString(), rowId());
      Rows.of(tx, KEEP, workspaceId, collection, key, sealed);
      return Answer.created(created);
    }

    private Answer replay(SqlConnection tx) {
      Row row = Rows.of(tx, FIND, workspaceId, collection, key).iterator().next();
      if (!row.getBuffer("digest").equals(digest)) {
        throw new Refusal(
            422, "idempotency-key was used with another body within the last 24 hours");
      }
      String created = secretBox.open(row.getBuffer("answer").getBytes(), rowId());
      return Answer.created(new JsonObject(created)).with(REPLAYED, "true");
    }

    /** The associated data of the sealed response. */
    private UUID rowId() {
      return UUID.nameUUIDFromBytes((workspaceId + "/" + collection + "/" + key).getBytes(UTF_8));
    }
  }
}
