package io.egress.api.admin.signing;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKey;
import io.egress.webhook.endpoint.SigningKeyStore;
import io.egress.webhook.endpoint.StandardWebhooks;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Manages the key pairs that sign webhooks by Ed25519. The first one is made for the first endpoint
 * that needs it. A rejected operation throws a {@link Refusal}.
 */
public final class ServiceKeys {
  private static final String KIND = "signing_key";

  private final Pool pool;
  private final Transactions transactions;
  private final @Nullable SecretBox secretBox;

  /** Without a {@code secretBox}, keys can only be listed. */
  public ServiceKeys(Pool pool, @Nullable SecretBox secretBox) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.secretBox = secretBox;
  }

  public static boolean areNeededBy(EndpointSpec spec) {
    return spec.standardWebhooks() == StandardWebhooks.ED25519;
  }

  /** Makes the first key, in the transaction that makes an endpoint need it. */
  public static void ensure(SqlConnection tx, Caller caller, SecretBox box) {
    SigningKeyStore.ensure(tx, box)
        .ifPresent(first -> record(tx, caller, KIND + ".created", first.id(), publicKeyOf(first)));
  }

  /** Those that sign now, newest first. */
  public List<SigningKey> list() {
    return SigningKeyStore.list(pool).await();
  }

  /** Those that verify what the endpoint is sent; none unless that is signed with them. */
  public List<SigningKey> verifying(EndpointSpec spec) {
    return areNeededBy(spec) ? list() : List.of();
  }

  /** The previous key keeps signing beside the new one for {@code overlap}. */
  SigningKey rotate(SqlConnection tx, Caller caller, Duration overlap) {
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: no signing key can be stored");
    }
    SigningKey made =
        SigningKeyStore.rotate(tx, secretBox, overlap).orElseThrow(ServiceKeys::overlapping);
    record(
        tx,
        caller,
        KIND + ".rotated",
        made.id(),
        publicKeyOf(made).put("overlap", Durations.format(overlap)));
    return made;
  }

  /** From now on only the newest key signs. */
  void endOverlap(Caller caller) {
    transactions.call(tx -> {
      SigningKeyStore.endOverlap(tx);
      record(tx, caller, KIND + "_overlap.ended", null, new JsonObject());
      return tx;
    });
  }

  private static JsonObject publicKeyOf(SigningKey key) {
    return new JsonObject().put("public_key", key.publicKey());
  }

  private static void record(
      SqlConnection tx, Caller caller, String action, @Nullable UUID id, JsonObject changes) {
    AuditLog.record(tx, null, caller, new Act(action, KIND, id, changes));
  }

  private static Refusal overlapping() {
    return new Refusal(
        409,
        "the previous key still signs until its signs_until: end that overlap first, or rotate with"
            + " an overlap of 0s, which ends it");
  }
}
