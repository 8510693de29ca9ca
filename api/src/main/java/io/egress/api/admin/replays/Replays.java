package io.egress.api.admin.replays;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.ReplayBody;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Starts, shows and cancels replays. Rejected operations fail with a {@link Refusal}. */
public final class Replays {
  /** A replay and the number of its deliveries in each state; null for a full history. */
  public record Progress(Replay replay, @Nullable Map<DeliveryState, Long> outcomes) {
    /** Whether everything was sent and each delivery has ended. */
    public boolean isFinished() {
      return replay.state() == Replay.State.PUBLISHED
          && outcomes != null
          && outcomes.getOrDefault(DeliveryState.PENDING, 0L) == 0;
    }
  }

  private final Transactions transactions;
  private final EndpointStore endpoints;
  private final ReplayStore store;

  public Replays(Pool pool) {
    requireNonNull(pool, "pool is null");
    this.transactions = new Transactions(pool);
    this.endpoints = new EndpointStore(pool);
    this.store = new ReplayStore(pool);
  }

  public Future<Replay> start(Caller caller, UUID workspaceId, UUID endpointId, ReplayBody wanted) {
    return start(
        caller,
        workspaceId,
        endpointId,
        tx -> ReplayStore.add(tx, workspaceId, endpointId, wanted, caller.actor()));
  }

  /** Sends the capture of {@code delivery} to its endpoint again. */
  public Future<Replay> redeliver(Caller caller, UUID workspaceId, LoggedDelivery delivery) {
    return start(
        caller,
        workspaceId,
        delivery.endpointId(),
        tx -> ReplayStore.addOne(tx, delivery, caller.actor()));
  }

  private Future<Replay> start(
      Caller caller,
      UUID workspaceId,
      UUID endpointId,
      Function<SqlConnection, Future<Optional<Replay>>> addition) {
    return requireEndpoint(workspaceId, endpointId)
        .compose(_ ->
            transactions.run(tx ->
                addition
                    .apply(tx)
                    .map(started -> started.orElseThrow(Replays::tooMany))
                    .compose(started ->
                        audit(tx, caller, workspaceId, "started", started).map(started))));
  }

  private static Future<Void> audit(
      SqlConnection tx, Caller caller, UUID workspaceId, String done, Replay replay) {
    JsonObject changes =
        new JsonObject()
            .put("endpoint_id", replay.endpointId().toString())
            .put("from_position", replay.firstPosition())
            .put("to_position", replay.lastPosition())
            .put("only", replay.onlyUndelivered() ? "undelivered" : null);
    String kind = replay.origin().word();
    return AuditLog.write(
        tx, workspaceId, caller, new Act(kind + "." + done, kind, replay.id(), changes));
  }

  /** Newest first; only those after {@code after}, unless that is null. */
  public Future<List<Replay>> list(
      UUID workspaceId, UUID endpointId, @Nullable UUID after, int max) {
    return requireEndpoint(workspaceId, endpointId)
        .compose(_ -> store.list(endpointId, after, max));
  }

  /** Of all endpoints of the workspace, without redeliveries, newest first. */
  public Future<List<Progress>> newest(UUID workspaceId, int max) {
    return store
        .newest(workspaceId, max)
        .compose(found ->
            store
                .undelivered(found.stream().map(Replay::id).toList())
                .map(counts ->
                    found.stream()
                        .map(each -> progress(each, counts.getOrDefault(each.id(), Map.of())))
                        .toList()));
  }

  public Future<Progress> show(UUID workspaceId, UUID id) {
    return store
        .show(workspaceId, id)
        .compose(found -> {
          Replay replay = found.orElseThrow(Replays::unknown);
          return store
              .undelivered(List.of(id))
              .map(counts -> progress(replay, counts.getOrDefault(id, Map.of())));
        });
  }

  /**
   * Deliveries that were published but not attempted will be skipped, and so will their retries.
   */
  public Future<Void> cancel(Caller caller, UUID workspaceId, UUID id) {
    return show(workspaceId, id)
        .compose(progress -> {
          Replay replay = progress.replay();
          if (progress.isFinished()) {
            throw new Refusal(409, "the replay is finished: nothing is left to cancel");
          }
          if (replay.origin() == Origin.BACKFILL) {
            throw new Refusal(
                409, "a full history cannot be canceled: delete its endpoint instead");
          }
          return transactions.run(tx ->
              ReplayStore.cancel(tx, workspaceId, id)
                  .compose(canceled ->
                      canceled
                          ? audit(tx, caller, workspaceId, "cancelled", replay)
                          : Future.<Void>succeededFuture()));
        });
  }

  /** The log has every delivery of a replay from its publication on. */
  private static Progress progress(Replay replay, Map<DeliveryState, Long> undelivered) {
    if (replay.origin() == Origin.BACKFILL) {
      return new Progress(replay, null);
    }
    Map<DeliveryState, Long> counts = new EnumMap<>(DeliveryState.class);
    long delivered = replay.published();
    for (DeliveryState state : DeliveryState.values()) {
      long count = undelivered.getOrDefault(state, 0L);
      counts.put(state, count);
      delivered -= count;
    }
    counts.put(DeliveryState.DELIVERED, Math.max(0, delivered));
    return new Progress(replay, counts);
  }

  private Future<Void> requireEndpoint(UUID workspaceId, UUID endpointId) {
    return endpoints
        .show(workspaceId, endpointId)
        .map(found -> {
          if (found.isEmpty()) {
            throw new Refusal(404, "no such endpoint in this workspace");
          }
          return null;
        });
  }

  private static Refusal unknown() {
    return new Refusal(404, "no such replay in this workspace");
  }

  private static Refusal tooMany() {
    return new Refusal(
        409, "the endpoint has " + ReplayStore.UNFINISHED_MAX + " unfinished replays");
  }
}
