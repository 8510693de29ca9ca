package io.egress.api.admin.endpoints;

import io.egress.api.admin.workspace.Workspaces;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.http.Refusal;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Manages endpoints and their signing secrets. A rejected operation fails with a {@link Refusal}.
 */
public final class Endpoints {
  /** An endpoint with a new signing secret, which is shown only once. */
  public record Issued(Endpoint endpoint, String secret) {}

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

  public Future<Issued> create(Caller caller, UUID workspaceId, NewEndpoint endpoint) {
    return Workspaces.name(pool, workspaceId)
        .compose(_ -> transactions.run(tx -> create(tx, caller, workspaceId, endpoint)));
  }

  /** The workspace must exist. */
  Future<Issued> create(SqlConnection tx, Caller caller, UUID workspaceId, NewEndpoint endpoint) {
    UUID id = UUID.randomUUID();
    String secret = SigningSecrets.generate();
    SecretBox box = box();
    Buffer sealed = Buffer.buffer(box.seal(secret, id));
    ClientCertificate certificate = endpoint.clientCertificate();
    return Workspaces.requireOpen(tx, workspaceId)
        .compose(_ ->
            EndpointStore.add(
                tx,
                workspaceId,
                id,
                endpoint,
                sealed,
                endpoint.headers().seal(box, id),
                certificate == null ? null : certificate.seal(box, id)))
        .compose(created ->
            audit(tx, caller, workspaceId).created(created).map(new Issued(created, secret)));
  }

  /** Oldest first. */
  public Future<List<Endpoint>> list(UUID workspaceId) {
    return store.list(workspaceId);
  }

  public Future<Endpoint> show(UUID workspaceId, UUID id) {
    return store.show(workspaceId, id).map(Endpoints::known);
  }

  public Future<Endpoint> change(Caller caller, UUID workspaceId, UUID id, EndpointChange change) {
    return onLocked(
        workspaceId,
        id,
        (tx, before) ->
            headers(tx, id, change.headers())
                .compose(headers ->
                    EndpointStore.change(
                        tx, workspaceId, id, change, headers, certificate(id, change)))
                .map(Endpoints::known)
                .compose(after ->
                    audit(tx, caller, workspaceId)
                        .changed(before, after, change.headers())
                        .map(after)));
  }

  private @Nullable Buffer certificate(UUID id, EndpointChange change) {
    ClientCertificate certificate = change.clientCertificate();
    return certificate == null ? null : certificate.seal(box(), id);
  }

  /** The changed headers; null if the change does not concern them. */
  private Future<@Nullable SealedHeaders> headers(
      SqlConnection tx, UUID id, @Nullable HeaderChange change) {
    if (change == null) {
      return Future.succeededFuture();
    }
    SecretBox box = box();
    Future<CustomHeaders> before =
        change.clears()
            ? Future.succeededFuture(CustomHeaders.NONE)
            : EndpointStore.sealedHeaders(tx, id)
                .map(stored -> CustomHeaders.open(stored, box, id))
                .recover(Endpoints::refuseUnopened);
    return before.map(headers -> {
      CustomHeaders changed = headers.with(change.values());
      String problem = changed.problem();
      if (problem != null) {
        throw new Refusal(400, "headers: " + problem);
      }
      return changed.seal(box, id);
    });
  }

  private static <T> Future<T> refuseUnopened(Throwable failure) {
    return Future.failedFuture(
        failure instanceof UnknownSecretKeyException || failure instanceof DamagedSecretException
            ? new Refusal(409, String.valueOf(failure.getMessage()))
            : failure);
  }

  public Future<Void> delete(Caller caller, UUID workspaceId, UUID id) {
    return onLocked(
        workspaceId,
        id,
        (tx, before) ->
            EndpointStore.delete(tx, workspaceId, id)
                .compose(_ -> audit(tx, caller, workspaceId).deleted(before)));
  }

  /** The previous secret keeps signing beside the new one for {@code overlap}. */
  public Future<Issued> rotateSecret(Caller caller, UUID workspaceId, UUID id, Duration overlap) {
    return transactions.run(tx -> rotateSecret(tx, caller, workspaceId, id, overlap));
  }

  Future<Issued> rotateSecret(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID id, Duration overlap) {
    String secret = SigningSecrets.generate();
    Buffer sealed = Buffer.buffer(box().seal(secret, id));
    return EndpointStore.lock(tx, workspaceId, id)
        .map(Endpoints::known)
        .compose(_ -> EndpointStore.rotate(tx, workspaceId, id, sealed, overlap))
        .map(rotated -> new Issued(rotated.orElseThrow(Endpoints::overlapping), secret))
        .compose(issued ->
            audit(tx, caller, workspaceId).rotated(id, Durations.format(overlap)).map(issued));
  }

  /** From now on only the newest secret signs. */
  public Future<Void> endOverlap(Caller caller, UUID workspaceId, UUID id) {
    return onLocked(
        workspaceId,
        id,
        (tx, _) ->
            EndpointStore.endOverlap(tx, workspaceId, id)
                .compose(_ -> audit(tx, caller, workspaceId).endedOverlap(id)));
  }

  private interface Work<T> {
    Future<T> on(SqlConnection tx, Endpoint before);
  }

  /** Locks the endpoint's row until {@code work} has completed. */
  private <T> Future<T> onLocked(UUID workspaceId, UUID id, Work<T> work) {
    return transactions.run(tx ->
        EndpointStore.lock(tx, workspaceId, id)
            .map(Endpoints::known)
            .compose(before -> work.on(tx, before)));
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

  static Endpoint known(Optional<Endpoint> found) {
    return found.orElseThrow(() -> new Refusal(404, "no such endpoint in this workspace"));
  }

  private static Refusal overlapping() {
    return new Refusal(
        409,
        "the previous secret still signs until previous_secret_until: end that overlap first, or"
            + " rotate with an overlap of 0s, which ends it");
  }
}
