package io.egress.api.admin.endpoints;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.egress.api.admin.workspaces.Room;
import io.egress.api.admin.workspaces.Workspaces;
import io.egress.api.intake.CreationPlace;
import io.egress.api.intake.EndpointBody;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.EndpointStore.Locked;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SealedParts;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningKeys;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Manages endpoints and their signing secrets. A rejected operation throws a {@link Refusal}. */
public final class Endpoints {
  /**
   * An endpoint with a new signing secret, which is shown only once.
   *
   * @param standardWebhooksSecret the secret as libraries for Standard Webhooks expect it
   */
  public record Issued(
      @JsonUnwrapped Endpoint endpoint, String secret, String standardWebhooksSecret) {
    Issued(Endpoint endpoint, String secret) {
      this(endpoint, secret, SigningSecrets.inStandardForm(secret));
    }

    /** Secrets are never printed. */
    @Override
    public String toString() {
      return "Issued[" + endpoint.id() + ", secret withheld]";
    }
  }

  /**
   * An endpoint after a change.
   *
   * @param dropped the fields that were removed, in whole or in part, because the URL leads to
   *     another receiver
   */
  public record Changed(@JsonUnwrapped Endpoint endpoint, List<String> dropped) {
    private static Changed of(
        Endpoint before, Endpoint after, EndpointChange requested, EndpointChange made) {
      List<String> dropped = new ArrayList<>();
      if (!Objects.equals(requested.headers(), made.headers())
          && !after.headers().containsAll(before.headers())) {
        dropped.add("headers");
      }
      if (!Objects.equals(requested.certificate(), made.certificate())) {
        dropped.add("client_certificate");
      }
      if (!Objects.equals(requested.oauth2(), made.oauth2())) {
        dropped.add("oauth2");
      }
      return new Changed(after, dropped);
    }
  }

  /** Each filter that an endpoint has had is kept, and read with it. */
  private static final int FILTERS_MAX = 100;

  private final Pool pool;
  private final Transactions transactions;
  private final EndpointStore store;
  private final @Nullable SecretBox secretBox;

  /** Without a {@code secretBox}, endpoints cannot be created and secrets cannot be rotated. */
  public Endpoints(Pool pool, @Nullable SecretBox secretBox) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.store = new EndpointStore(pool);
    this.secretBox = secretBox;
  }

  public Issued create(Caller caller, UUID workspaceId, NewEndpoint endpoint) {
    Workspaces.name(pool, workspaceId);
    return transactions.call(tx -> create(tx, caller, workspaceId, endpoint));
  }

  /** The workspace must exist. */
  Issued create(SqlConnection tx, Caller caller, UUID workspaceId, NewEndpoint endpoint) {
    requireRoom(tx, workspaceId);
    Issued issued = add(tx, workspaceId, endpoint);
    audit(tx, caller, workspaceId).created(issued.endpoint(), null);
    return issued;
  }

  public Issued clone(Caller caller, UUID workspaceId, UUID id, EndpointBody.Clone wanted) {
    return transactions.call(tx -> clone(tx, caller, workspaceId, id, wanted));
  }

  /** A copy with a secret and a key pair of its own, which is paused at first. */
  Issued clone(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID id, EndpointBody.Clone wanted) {
    requireRoom(tx, workspaceId);
    EndpointStore.holdStream(tx, workspaceId).await();
    Locked original = lock(tx, workspaceId, id);
    NewEndpoint copy;
    try {
      copy =
          original
              .sealed()
              .copy(box(), id, original.endpoint().spec(), wanted.start(), wanted.stream());
    } catch (UnknownSecretKeyException | DamagedSecretException unopened) {
      throw new Refusal(409, String.valueOf(unopened.getMessage()));
    }
    Issued issued = add(tx, workspaceId, copy);
    audit(tx, caller, workspaceId).created(issued.endpoint(), id);
    return issued;
  }

  /**
   * Before the stream is held, which comes before an endpoint is locked: in this order everywhere.
   */
  private static void requireRoom(SqlConnection tx, UUID workspaceId) {
    Workspaces.requireOpen(tx, workspaceId);
    Room.ENDPOINTS.require(tx, workspaceId);
  }

  private Issued add(SqlConnection tx, UUID workspaceId, NewEndpoint endpoint) {
    UUID id = UUID.randomUUID();
    String secret = SigningSecrets.generate();
    SecretBox box = box();
    Buffer sealedSecret = Buffer.buffer(box.seal(secret, id));
    SealedParts sealed = SealedParts.of(endpoint, box, id);
    requireOneAuthorization(sealed);
    Endpoint created =
        EndpointStore.add(tx, workspaceId, id, endpoint, sealedSecret, sealed).await();
    return new Issued(created, secret);
  }

  /** Oldest first. */
  public List<Endpoint> list(UUID workspaceId) {
    return store.list(workspaceId).await();
  }

  /** The next {@code max} of them after a place. */
  public List<Endpoint> list(UUID workspaceId, CreationPlace after, int max) {
    return store.list(workspaceId, after.createdAt(), after.id(), max).await();
  }

  public Endpoint show(UUID workspaceId, UUID id) {
    return store.show(workspaceId, id).await().orElseThrow(Endpoints::unknown);
  }

  public Changed change(Caller caller, UUID workspaceId, UUID id, EndpointChange requested) {
    return transactions.call(tx -> {
      if (requested.filters()) {
        EndpointStore.holdStream(tx, workspaceId).await();
      }
      Locked before = lock(tx, workspaceId, id);
      EndpointChange change = requested.withoutSecretsOfAnother(before.endpoint());
      requireRoomForFilter(before.endpoint(), change);
      Endpoint after =
          EndpointStore.write(tx, before.endpoint(), change, sealed(before, change)).await();
      audit(tx, caller, workspaceId).changed(before.endpoint(), after, change);
      return Changed.of(before.endpoint(), after, requested, change);
    });
  }

  private SealedParts sealed(Locked before, EndpointChange change) {
    UUID id = before.endpoint().id();
    SealedParts sealed = before.sealed();
    HeaderChange headers = change.headers();
    SealedHeaders newHeaders =
        headers == null ? sealed.headers() : headers(sealed.headers(), headers, id).seal(box(), id);
    SealedParts changed = sealed.with(newHeaders);
    if (change.certificate() != null) {
      changed = changed.with(change.certificate().certificate(), box(), id);
    }
    if (change.oauth2() != null) {
      changed = changed.with(change.oauth2().client(), box(), id);
    }
    requireOneAuthorization(changed);
    return changed.lacksKeyOf(change.spec().apply(before.endpoint().spec()))
        ? changed.withKey(box(), id)
        : changed;
  }

  private static void requireRoomForFilter(Endpoint before, EndpointChange change) {
    boolean isSame =
        Objects.equals(before.spec().filter(), change.spec().apply(before.spec()).filter());
    if (!isSame && before.filters().size() >= FILTERS_MAX) {
      throw new Refusal(
          409,
          "the filter was changed %d times: add an endpoint in place of this one"
              .formatted(FILTERS_MAX));
    }
  }

  /** Access tokens are sent in the header that a custom one would have. */
  private static void requireOneAuthorization(SealedParts sealed) {
    if (sealed.oauth2() != null && sealed.headers().names().contains("authorization")) {
      throw new Refusal(400, "oauth2: cannot be combined with a header authorization");
    }
  }

  private CustomHeaders headers(SealedHeaders before, HeaderChange change, UUID id) {
    CustomHeaders kept = CustomHeaders.NONE;
    if (!change.clears()) {
      try {
        kept = CustomHeaders.open(before.sealed(), box(), id);
      } catch (UnknownSecretKeyException | DamagedSecretException unopened) {
        throw new Refusal(409, String.valueOf(unopened.getMessage()));
      }
    }
    CustomHeaders changed = kept.with(change.values());
    String problem = changed.problem();
    if (problem != null) {
      throw new Refusal(400, "headers: " + problem);
    }
    return changed;
  }

  public void delete(Caller caller, UUID workspaceId, UUID id) {
    transactions.call(tx -> {
      Endpoint before = lock(tx, workspaceId, id).endpoint();
      EndpointStore.delete(tx, workspaceId, id).await();
      audit(tx, caller, workspaceId).deleted(before);
      return before;
    });
  }

  /**
   * The previous secret, and key pair if there is one, keeps signing beside the new one for {@code
   * overlap}.
   */
  public Issued rotateSecret(Caller caller, UUID workspaceId, UUID id, Duration overlap) {
    return transactions.call(tx -> rotateSecret(tx, caller, workspaceId, id, overlap));
  }

  Issued rotateSecret(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID id, Duration overlap) {
    String secret = SigningSecrets.generate();
    Buffer sealed = Buffer.buffer(box().seal(secret, id));
    boolean hasKey = lock(tx, workspaceId, id).sealed().signingKey() != null;
    Buffer signingKey = hasKey ? SigningKeys.make(box(), id) : null;
    Endpoint rotated =
        EndpointStore.rotate(tx, workspaceId, id, sealed, signingKey, overlap)
            .await()
            .orElseThrow(Endpoints::overlapping);
    audit(tx, caller, workspaceId).rotated(rotated, Durations.format(overlap));
    return new Issued(rotated, secret);
  }

  /** From now on only the newest secret and key pair sign. */
  public void endOverlap(Caller caller, UUID workspaceId, UUID id) {
    transactions.call(tx -> {
      lock(tx, workspaceId, id);
      EndpointStore.endOverlap(tx, workspaceId, id).await();
      audit(tx, caller, workspaceId).endedOverlap(id);
      return id;
    });
  }

  /** Locks the endpoint's row until the transaction ends. */
  static Locked lock(SqlConnection tx, UUID workspaceId, UUID id) {
    return EndpointStore.lock(tx, workspaceId, id).await().orElseThrow(Endpoints::unknown);
  }

  private static EndpointAudit audit(SqlConnection tx, Caller caller, UUID workspaceId) {
    return new EndpointAudit(tx, caller, workspaceId);
  }

  private SecretBox box() {
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: endpoints cannot be created");
    }
    return secretBox;
  }

  public static Refusal unknown() {
    return new Refusal(404, "no such endpoint in this workspace");
  }

  private static Refusal overlapping() {
    return new Refusal(
        409,
        "the previous secret still signs until previous_secret_until: end that overlap first, or"
            + " rotate with an overlap of 0s, which ends it");
  }
}
