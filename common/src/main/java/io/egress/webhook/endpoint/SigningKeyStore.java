package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores the service's key pairs. Endpoints are read together with the keys that sign for them, so
 * a rotation applies to the next attempt.
 */
public final class SigningKeyStore {
  private static final String SIGNING = "(signs_until is null or signs_until > now())";

  /** Of a row of endpoints: the ids and sealed private keys that sign for it. */
  static final String SEALED_FOR_ENDPOINT =
      "case when spec @> '{\"standard_webhooks\": true, \"standard_webhooks_ed25519\": true}'"
          + " then array(select uuid_send(id) || private_key from signing_keys where "
          + SIGNING
          + " order by created_at desc) else '{}' end";

  private static final String LIST =
      "select id, public_key, created_at, signs_until from signing_keys where "
          + SIGNING
          + " order by created_at desc";

  /** Rotations wait for each other, and for the first key. */
  private static final String LOCK = "lock table signing_keys in share row exclusive mode";

  private static final String ADD =
      "insert into signing_keys (id, public_key, private_key) values ($1, $2, $3)"
          + " returning id, public_key, created_at, signs_until";

  private static final String RETIRE =
      "update signing_keys set signs_until = now() + $1 * interval '1 ms' where signs_until is null";

  private static final String END_OVERLAP =
      "delete from signing_keys where signs_until is not null";

  private static final String FORGET = "delete from signing_keys where signs_until <= now()";

  private static final String SEALED = "select id, private_key from signing_keys for update";

  private static final String RESEAL = "update signing_keys set private_key = $2 where id = $1";

  private SigningKeyStore() {}

  /** Those that sign now, newest first. */
  public static Future<List<SigningKey>> list(SqlClient client) {
    return client.query(LIST).execute().map(rows -> Rows.list(rows, SigningKeyStore::key));
  }

  /** Returns the first key, unless there was one. */
  public static Optional<SigningKey> ensure(SqlConnection transaction, SecretBox box) {
    if (!list(transaction).await().isEmpty()) {
      return Optional.empty();
    }
    lock(transaction);
    return list(transaction).await().isEmpty()
        ? Optional.of(add(transaction, box))
        : Optional.empty();
  }

  /**
   * Returns the new key, which signs from now on; the one before it signs, too, for {@code
   * overlap}. Empty if an overlap has not ended and another one is requested.
   */
  public static Optional<SigningKey> rotate(
      SqlConnection transaction, SecretBox box, Duration overlap) {
    lock(transaction);
    boolean overlaps = list(transaction).await().size() > 1;
    if (overlaps && !overlap.isZero()) {
      return Optional.empty();
    }
    if (overlap.isZero()) {
      transaction.query("delete from signing_keys").execute().await();
    } else {
      Rows.of(transaction, FORGET);
      Rows.of(transaction, RETIRE, overlap.toMillis());
    }
    return Optional.of(add(transaction, box));
  }

  /** From the next attempt on, only the newest key signs. */
  public static void endOverlap(SqlConnection transaction) {
    Rows.of(transaction, END_OVERLAP);
  }

  /**
   * Seals what is not sealed with the current key. Throws the exceptions of {@link SecretBox#open}.
   */
  public static void reseal(SqlConnection transaction, SecretBox box) {
    for (Row row : Rows.of(transaction, SEALED)) {
      UUID id = row.getUUID("id");
      byte[] sealed = row.getBuffer("private_key").getBytes();
      if (box.isSealedWithOldKey(sealed)) {
        Rows.of(transaction, RESEAL, id, Buffer.buffer(box.seal(box.open(sealed, id), id)));
      }
    }
  }

  private static void lock(SqlConnection transaction) {
    transaction.query(LOCK).execute().await();
  }

  private static SigningKey add(SqlConnection transaction, SecretBox box) {
    SigningKeys.Made made = SigningKeys.make(box);
    return key(
        transaction
            .preparedQuery(ADD)
            .execute(Tuple.of(made.id(), made.raw(), made.sealed()))
            .await()
            .iterator()
            .next());
  }

  private static SigningKey key(Row row) {
    return new SigningKey(
        row.getUUID("id"),
        row.getBuffer("public_key"),
        Rows.instant(row, "created_at"),
        Rows.optionalInstant(row, "signs_until"));
  }
}
