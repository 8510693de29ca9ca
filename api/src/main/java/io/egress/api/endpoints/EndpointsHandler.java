package io.egress.api.endpoints;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.EndpointBody;
import io.egress.api.workspace.Creations;
import io.egress.api.workspace.WorkspaceCalls;
import io.egress.document.UtcInstant;
import io.egress.endpoint.Endpoint;
import io.egress.endpoint.EndpointStore;
import io.egress.endpoint.NewEndpoint;
import io.egress.endpoint.SecretBox;
import io.egress.endpoint.SigningSecrets;
import io.egress.http.HttpExchange;
import io.egress.http.Refusal;
import io.egress.settings.PushSettings;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The endpoints of a workspace, and their signing secrets. */
public final class EndpointsHandler {
  private final Pool pool;
  private final EndpointStore store;
  private final Creations creations;
  private final EndpointBody bodies;
  private final @Nullable SecretBox secretBox;

  public EndpointsHandler(Pool pool, PushSettings settings) {
    this.pool = requireNonNull(pool, "pool is null");
    this.store = new EndpointStore(pool);
    this.creations = new Creations(pool, settings.secretBox(), "endpoints");
    this.bodies = new EndpointBody(settings.allowHttpEndpoints(), settings.addressPolicy());
    this.secretBox = settings.secretBox();
  }

  public Future<Void> create(RoutingContext exchange, UUID workspaceId) {
    NewEndpoint endpoint = bodies.creation(WorkspaceCalls.body(exchange)).orRefuse();
    UUID id = UUID.randomUUID();
    String secret = SigningSecrets.generate();
    Buffer sealed = seal(secret, id);
    return creations.answer(
        exchange,
        workspaceId,
        tx ->
            EndpointStore.add(tx, workspaceId, id, endpoint, sealed)
                .map(created -> json(created, secret)));
  }

  public Future<Void> list(RoutingContext exchange, UUID workspaceId) {
    return store
        .list(workspaceId)
        .map(
            endpoints -> {
              JsonArray shown = new JsonArray();
              endpoints.forEach(endpoint -> shown.add(json(endpoint, null)));
              HttpExchange.sendJson(exchange, 200, new JsonObject().put("endpoints", shown));
              return null;
            });
  }

  public Future<Void> show(RoutingContext exchange, UUID workspaceId, UUID id) {
    return store.show(workspaceId, id).compose(found -> answer(exchange, found));
  }

  public Future<Void> change(RoutingContext exchange, UUID workspaceId, UUID id) {
    return store
        .change(workspaceId, id, bodies.change(WorkspaceCalls.body(exchange)).orRefuse())
        .compose(found -> answer(exchange, found));
  }

  public Future<Void> delete(RoutingContext exchange, UUID workspaceId, UUID id) {
    return store
        .delete(workspaceId, id)
        .compose(
            deleted ->
                deleted ? HttpExchange.endEmpty(exchange, 204) : Future.failedFuture(unknown()));
  }

  /** Answers with the new secret, this one time. */
  public Future<Void> rotateSecret(RoutingContext exchange, UUID workspaceId, UUID id) {
    Duration overlap = EndpointBody.rotation(WorkspaceCalls.body(exchange)).orRefuse();
    String secret = SigningSecrets.generate();
    Buffer sealed = seal(secret, id);
    return store
        .show(workspaceId, id)
        .compose(
            found -> {
              if (found.isEmpty()) {
                throw unknown();
              }
              return new Creations(pool, secretBox, "endpoints/" + id + "/secrets")
                  .answer(
                      exchange,
                      workspaceId,
                      tx ->
                          EndpointStore.rotate(tx, workspaceId, id, sealed, overlap)
                              .map(
                                  rotated ->
                                      json(
                                          rotated.orElseThrow(EndpointsHandler::overlapping),
                                          secret)));
            });
  }

  /** The secret before the newest one signs no more. */
  public Future<Void> endOverlap(RoutingContext exchange, UUID workspaceId, UUID id) {
    return store
        .endOverlap(workspaceId, id)
        .compose(
            known -> known ? HttpExchange.endEmpty(exchange, 204) : Future.failedFuture(unknown()));
  }

  private Buffer seal(String secret, UUID id) {
    if (secretBox == null) {
      throw new Refusal(
          503, "no endpoints without EGRESS_SECRET_KEY, which this service was started without");
    }
    return Buffer.buffer(secretBox.seal(secret, id));
  }

  private static Refusal overlapping() {
    return new Refusal(
        409,
        "the secret before this one signs until previous_secret_until: end that first with DELETE"
            + " previous-secret");
  }

  private static Future<Void> answer(RoutingContext exchange, Optional<Endpoint> found) {
    if (found.isEmpty()) {
      return Future.failedFuture(unknown());
    }
    HttpExchange.sendJson(exchange, 200, json(found.get(), null));
    return Future.succeededFuture();
  }

  private static Refusal unknown() {
    return new Refusal(404, "no such endpoint in this workspace");
  }

  private static JsonObject json(Endpoint endpoint, @Nullable String secret) {
    Instant until = endpoint.previousSecretUntil();
    JsonObject json =
        new JsonObject()
            .put("id", endpoint.id().toString())
            .put("url", endpoint.url())
            .put("description", endpoint.description());
    if (secret != null) {
      json.put("secret", secret);
    }
    return json.put("full_history", endpoint.fullHistory())
        .put("paused", endpoint.paused())
        .put("created_position", endpoint.createdPosition())
        .put("created_at", UtcInstant.format(endpoint.createdAt()))
        .put("previous_secret_until", until == null ? null : UtcInstant.format(until));
  }
}
