package io.egress.api.admin.secrets;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKeys;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The encrypted values of endpoints, including deleted ones. */
final class SealedSecrets {
  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /** A sealed value begins with a version, the length of its key's id, and the id. */
  private static final String USES =
      """
      select convert_from(substr(sealed, 3, get_byte(sealed, 1)), 'LATIN1') as key_id, count(*) as secrets
      from (
        select secret as sealed from endpoints
        union all select previous_secret from endpoints where previous_secret is not null
        union all select headers from endpoints where headers is not null
        union all select client_certificate from endpoints where client_certificate is not null
        union all select oauth2 from endpoints where oauth2 is not null
        union all select substr(signing_key, 33) from endpoints where signing_key is not null
        union all select substr(previous_signing_key, 33) from endpoints where previous_signing_key is not null
        union all select answer from idempotency_keys where answer is not null) as everything
      group by 1 order by 2 desc, 1
      """;

  private static final int PAGE = 500;

  private static final String NEXT =
      """
      select id, secret, previous_secret, headers, client_certificate, oauth2, signing_key, previous_signing_key
      from endpoints where id > $1 order by id limit %d
      """
          .formatted(PAGE);

  /** A concurrent change wins. */
  private static final String REPLACE =
      """
      update endpoints set secret = $2, previous_secret = $3, headers = $4, client_certificate = $5, oauth2 = $10,
        signing_key = $12, previous_signing_key = $13
      where id = $1 and secret = $6 and previous_secret is not distinct from $7
        and headers is not distinct from $8 and client_certificate is not distinct from $9
        and oauth2 is not distinct from $11 and signing_key is not distinct from $14
        and previous_signing_key is not distinct from $15
      """;

  /**
   * Counts the secrets, headers, client certificates, OAuth 2.0 clients, signing keys and stored
   * idempotent answers sealed with each key.
   */
  record Use(String keyId, long secrets) {}

  private record Page(UUID reached, boolean isLast) {}

  private final Pool pool;
  private final Transactions transactions;

  SealedSecrets(Pool pool) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
  }

  List<Use> uses() {
    return Rows.list(
        pool.query(USES).execute().await(),
        row -> new Use(row.getString("key_id"), row.getLong("secrets")));
  }

  /**
   * Seals the secrets, headers, client certificates, OAuth 2.0 clients and signing keys of every
   * endpoint with the current key. Fails if a secret's key is unknown or the secret is damaged;
   * values sealed before that remain changed.
   */
  void reseal(SecretBox box, Caller caller) {
    Page page = new Page(BEFORE_ALL, false);
    while (!page.isLast()) {
      UUID after = page.reached();
      page = transactions.call(tx -> resealPage(tx, box, caller, after));
    }
  }

  private static Page resealPage(SqlConnection tx, SecretBox box, Caller caller, UUID after) {
    RowSet<Row> rows = Rows.of(tx, NEXT, after);
    int replaced = 0;
    UUID last = after;
    for (Row row : rows) {
      last = row.getUUID("id");
      if (isOld(box, row.getBuffer("secret"))
          || isOld(box, row.getBuffer("previous_secret"))
          || isOld(box, row.getBuffer("headers"))
          || isOld(box, row.getBuffer("client_certificate"))
          || isOld(box, row.getBuffer("oauth2"))
          || isOldKey(box, row.getBuffer("signing_key"))
          || isOldKey(box, row.getBuffer("previous_signing_key"))) {
        replaced += replace(tx, box, row);
      }
    }
    boolean isLast = rows.size() < PAGE;
    if (replaced > 0 || isLast) {
      AuditLog.record(tx, null, caller, resealed(replaced));
    }
    return new Page(last, isLast);
  }

  private static Act resealed(int endpoints) {
    return new Act(
        "secret_keys.resealed", "secret_keys", null, new JsonObject().put("endpoints", endpoints));
  }

  private static int replace(SqlConnection tx, SecretBox box, Row row) {
    UUID id = row.getUUID("id");
    Buffer secret = row.getBuffer("secret");
    Buffer previous = row.getBuffer("previous_secret");
    Buffer headers = row.getBuffer("headers");
    Buffer certificate = row.getBuffer("client_certificate");
    Buffer oauth2 = row.getBuffer("oauth2");
    Buffer signingKey = row.getBuffer("signing_key");
    Buffer previousKey = row.getBuffer("previous_signing_key");
    return Rows.of(
            tx,
            REPLACE,
            id,
            resealed(box, secret, id),
            previous == null ? null : resealed(box, previous, id),
            CustomHeaders.open(headers, box, id).seal(box, id).sealed(),
            certificate == null ? null : ClientCertificate.open(certificate, box, id).seal(box, id),
            secret,
            previous,
            headers,
            certificate,
            oauth2 == null ? null : OAuth2Client.open(oauth2, box, id).seal(box, id),
            oauth2,
            signingKey == null ? null : SigningKeys.reseal(signingKey, box, id),
            previousKey == null ? null : SigningKeys.reseal(previousKey, box, id),
            signingKey,
            previousKey)
        .rowCount();
  }

  private static boolean isOldKey(SecretBox box, @Nullable Buffer stored) {
    return stored != null && SigningKeys.isSealedWithOldKey(stored, box);
  }

  private static boolean isOld(SecretBox box, @Nullable Buffer secret) {
    return secret != null && box.isSealedWithOldKey(secret.getBytes());
  }

  private static Buffer resealed(SecretBox box, Buffer secret, UUID id) {
    return Buffer.buffer(box.seal(box.open(secret.getBytes(), id), id));
  }
}
