package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.QueryValues;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** Accounts for every capture owed to an endpoint. */
public final class VerificationHandler {
  private static final Pattern POSITION = Pattern.compile("[1-9][0-9]{0,17}");

  private final EndpointStore endpoints;
  private final Verifier verifier;

  public VerificationHandler(Vertx vertx, Pool pool, LogDays days, KafkaSettings kafka) {
    requireNonNull(pool, "pool is null");
    this.endpoints = new EndpointStore(pool);
    this.verifier =
        new Verifier(
            pool, new LoggedDeliveries(pool, days), new QueuedCaptures(vertx, pool, kafka));
  }

  public Future<Void> verify(RoutingContext ctx, UUID workspaceId, UUID endpointId) {
    Long given =
        QueryValues.one(
            ctx.queryParams(),
            "from_position",
            VerificationHandler::position,
            "must be one position of the stream");
    long from = given == null ? 1 : given;
    return endpoints
        .show(workspaceId, endpointId)
        .compose(found ->
            verifier.verify(
                workspaceId,
                found.orElseThrow(() -> new Refusal(404, "no such endpoint in this workspace")),
                from))
        .onSuccess(result -> HttpExchange.sendJson(ctx, 200, json(endpointId, result)))
        .mapEmpty();
  }

  private static Optional<Long> position(String text) {
    return POSITION.matcher(text).matches() ? Optional.of(Long.valueOf(text)) : Optional.empty();
  }

  private static JsonObject json(UUID endpointId, Verification result) {
    JsonObject json =
        new JsonObject()
            .put("endpoint_id", endpointId.toString())
            .put("from_position", result.fromPosition())
            .put("to_position", result.toPosition())
            .put("next_position", result.nextPosition());
    for (DeliveryState state : DeliveryState.values()) {
      json.put(state.word(), result.of(state));
    }
    JsonArray missing = new JsonArray();
    result.missingCaptures().forEach(id -> missing.add(id.toString()));
    return json.put("missing", result.missing())
        .put("missing_replays", result.missingReplays())
        .put("forgotten", result.forgotten())
        .put("replayable", result.replayable())
        .put("missing_capture_ids", missing);
  }
}
