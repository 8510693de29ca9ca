package io.egress.api.replays;

import static java.util.Objects.requireNonNull;

import io.egress.api.intake.ReplayBody;
import io.egress.delivery.Delivery.Origin;
import io.egress.deliverylog.DeliveryState;
import io.egress.deliverylog.LoggedDelivery;
import io.egress.endpoint.EndpointStore;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Starts, shows and cancels replays. A {@link Refusal} is what a future fails with where that is
 * not possible.
 */
public final class Replays {
  /** A replay, and how many of its deliveries are in each state; null for a full history. */
  public record Progress(Replay replay, @Nullable Map<DeliveryState, Long> outcomes) {}

  private final Pool pool;
  private final EndpointStore endpoints;
  private final ReplayStore store;

  public Replays(Pool pool) {
    this.pool = requireNonNull(pool, "pool is null");
    this.endpoints = new EndpointStore(pool);
    this.store = new ReplayStore(pool);
  }

  public Future<Replay> start(
      UUID workspaceId, UUID endpointId, ReplayBody wanted, @Nullable String createdBy) {
    return requireEndpoint(workspaceId, endpointId)
        .compose(known -> ReplayStore.add(pool, workspaceId, endpointId, wanted, createdBy))
        .map(started -> started.orElseThrow(Replays::tooMany));
  }

  /** Sends the capture of {@code delivery} to its endpoint again. */
  public Future<Replay> redeliver(
      UUID workspaceId, LoggedDelivery delivery, @Nullable String createdBy) {
    return requireEndpoint(workspaceId, delivery.endpointId())
        .compose(known -> ReplayStore.addOne(pool, delivery, createdBy))
        .map(started -> started.orElseThrow(Replays::tooMany));
  }

  /** The newest first, and behind {@code after}, unless that is null. */
  public Future<List<Replay>> list(
      UUID workspaceId, UUID endpointId, @Nullable UUID after, int max) {
    return requireEndpoint(workspaceId, endpointId)
        .compose(known -> store.list(endpointId, after, max));
  }

  /** Of all endpoints of the workspace, without redeliveries, the newest first. */
  public Future<List<Replay>> newest(UUID workspaceId, int max) {
    return store.newest(workspaceId, max);
  }

  public Future<Progress> show(UUID workspaceId, UUID id) {
    return store
        .show(workspaceId, id)
        .compose(
            found -> {
              Replay replay = found.orElseThrow(Replays::unknown);
              return replay.origin() == Origin.BACKFILL
                  ? Future.succeededFuture(new Progress(replay, null))
                  : store.undelivered(id).map(counts -> progress(replay, counts));
            });
  }

  /** What it has published and is not attempted yet will be skipped, and so will its retries. */
  public Future<Void> cancel(UUID workspaceId, UUID id) {
    return store
        .show(workspaceId, id)
        .compose(
            found -> {
              if (found.orElseThrow(Replays::unknown).origin() == Origin.BACKFILL) {
                throw new Refusal(409, "the full history ends with its endpoint only");
              }
              return ReplayStore.cancel(pool, workspaceId, id).mapEmpty();
            });
  }

  /** Every delivery of a replay is in the log from its publication on. */
  private static Progress progress(Replay replay, Map<DeliveryState, Long> undelivered) {
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
        .map(
            found -> {
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
