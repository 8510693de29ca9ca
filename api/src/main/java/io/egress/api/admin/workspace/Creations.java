package io.egress.api.admin.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.database.Transactions;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Idempotent creations. A request with an {@code Idempotency-Key} stores its response in the
 * transaction that creates the thing; repeating the key returns that response for a day. The key's
 * row is inserted first, so concurrent repetitions wait for each other in the database.
 */
public final class Creations {
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
  public Creations(Pool pool, @Nullable SecretBox secretBox, String collection) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.secretBox = secretBox;
    this.collection = collection;
  }

  /**
   * Answers 201 with the result of {@code creation}. The workspace is created before that: this may
   * wait for a capture being written, and must not happen while the creation holds locks.
   */
  public Future<Void> answer(
      RoutingContext ctx, UUID workspaceId, Function<SqlConnection, Future<JsonObject>> creation) {
    return answer(ctx, workspaceId, () -> Workspaces.name(pool, workspaceId), creation);
  }

  /** Like {@link #answer}, for a thing that belongs to no workspace. */
  public Future<Void> answer(
      RoutingContext ctx, Function<SqlConnection, Future<JsonObject>> creation) {
    return answer(ctx, NO_WORKSPACE, Future::succeededFuture, creation);
  }

  private Future<Void> answer(
      RoutingContext ctx,
      UUID scope,
      Supplier<Future<Void>> preparation,
      Function<SqlConnection, Future<JsonObject>> creation) {
    List<String> given = ctx.request().headers().getAll(HEADER);
    if (given.isEmpty()) {
      return preparation
          .get()
          .compose(_ -> transactions.run(creation))
          .onSuccess(created -> HttpExchange.sendJson(ctx, 201, created))
          .mapEmpty();
    }
    Named request = named(ctx, scope, given);
    return preparation
        .get()
        .compose(_ -> transactions.run(tx -> request.answer(tx, creation)))
        .onSuccess(answer -> {
          if (answer.replayed()) {
            ctx.response().putHeader(REPLAYED, "true");
          }
          HttpExchange.sendJson(ctx, 201, answer.body());
        })
        .compose(_ -> pool.query(FORGET_OLD).execute().otherwiseEmpty())
        .mapEmpty();
  }

  private Named named(RoutingContext ctx, UUID workspaceId, List<String> given) {
    if (given.size() > 1 || !FORM.matcher(given.get(0)).matches()) {
      throw new Refusal(
          400, "idempotency-key must be given once, as 1 to 255 visible ASCII characters");
    }
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: idempotency-key cannot be used");
    }
    return new Named(
        secretBox, workspaceId, collection, given.get(0), digest(WorkspaceCalls.body(ctx)));
  }

  private static Buffer digest(Buffer body) {
    try {
      return Buffer.buffer(MessageDigest.getInstance("SHA-256").digest(body.getBytes()));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private record Answer(JsonObject body, boolean replayed) {}

  /** A creation with an idempotency key. */
  private record Named(
      SecretBox secretBox, UUID workspaceId, String collection, String key, Buffer digest) {
    Future<Answer> answer(SqlConnection tx, Function<SqlConnection, Future<JsonObject>> creation) {
      return tx.preparedQuery(FORGET)
          .execute(Tuple.of(workspaceId, collection, key))
          .compose(
              _ -> tx.preparedQuery(CLAIM).execute(Tuple.of(workspaceId, collection, key, digest)))
          .compose(claimed -> claimed.rowCount() == 1 ? create(tx, creation) : replay(tx));
    }

    private Future<Answer> create(
        SqlConnection tx, Function<SqlConnection, Future<JsonObject>> creation) {
      return creation
          .apply(tx)
          .compose(created ->
              tx.preparedQuery(KEEP)
                  .execute(
                      Tuple.of(
                          workspaceId,
                          collection,
                          key,
                          Buffer.buffer(secretBox.seal(created.encode(), rowId()))))
                  .map(_ -> new Answer(created, false)));
    }

    private Future<Answer> replay(SqlConnection tx) {
      return tx.preparedQuery(FIND)
          .execute(Tuple.of(workspaceId, collection, key))
          .map(rows -> {
            Row row = rows.iterator().next();
            if (!row.getBuffer("digest").equals(digest)) {
              throw new Refusal(
                  422, "idempotency-key was used with another body within the last 24 hours");
            }
            byte[] sealed = row.getBuffer("answer").getBytes();
            return new Answer(new JsonObject(secretBox.open(sealed, rowId())), true);
          });
    }

    /** The associated data of the sealed response. */
    private UUID rowId() {
      return UUID.nameUUIDFromBytes((workspaceId + "/" + collection + "/" + key).getBytes(UTF_8));
    }
  }
}
