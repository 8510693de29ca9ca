package io.egress.api.admin.replays;

import io.egress.api.admin.endpoints.Endpoints;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.webhook.backfill.Backfill;
import io.egress.webhook.backfill.Backfills;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts, shows and cancels replays. A rejected operation throws a {@link Refusal}. */
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
  private final Backfills backfills;

  public Replays(Pool pool) {
    this.transactions = new Transactions(pool);
    this.endpoints = new EndpointStore(pool);
    this.backfills = new Backfills(pool);
  }

  /** A range may end where it begins, as one does that goes on where the last replay ended. */
  public Replay start(Caller caller, UUID workspaceId, UUID endpointId, Backfills.Range range) {
    requireReplayable(workspaceId, endpointId);
    return transactions.call(tx -> {
      Replay started =
          started(
              tx,
              caller,
              workspaceId,
              Backfills.add(tx, workspaceId, endpointId, range, caller.actor()));
      if (range.fromPosition() != null && started.toPosition() + 1 < started.fromPosition()) {
        throw beyondTheEnd(started);
      }
      return started;
    });
  }

  /** Sends the capture of {@code delivery} to its endpoint again. */
  public Replay redeliver(Caller caller, UUID workspaceId, LoggedDelivery delivery) {
    return redeliver(caller, workspaceId, List.of(delivery)).getFirst();
  }

  /** The same for several deliveries: all of them, or none. */
  public List<Replay> redeliver(Caller caller, UUID workspaceId, List<LoggedDelivery> deliveries) {
    deliveries.stream()
        .map(LoggedDelivery::endpointId)
        .distinct()
        .forEach(endpointId -> requireEndpoint(workspaceId, endpointId));
    return transactions.call(tx ->
        deliveries.stream()
            .map(delivery ->
                started(tx, caller, workspaceId, Backfills.addOne(tx, delivery, caller.actor())))
            .toList());
  }

  /** Sends what was not delivered to every endpoint that is not paused and has missed something. */
  public List<Replay> startForAll(Caller caller, UUID workspaceId, Backfills.Range during) {
    return transactions.call(tx ->
        Backfills.addForAll(tx, workspaceId, during, caller.actor()).stream()
            .map(each -> started(tx, caller, workspaceId, Optional.of(each)))
            .toList());
  }

  private static Replay started(
      SqlConnection tx, Caller caller, UUID workspaceId, Optional<Backfill> added) {
    Replay started = added.map(Replay::of).orElseThrow(Replays::tooMany);
    audit(tx, caller, workspaceId, "started", started);
    return started;
  }

  private static void audit(
      SqlConnection tx, Caller caller, UUID workspaceId, String done, Replay replay) {
    JsonObject changes =
        new JsonObject()
            .put("endpoint_id", replay.endpointId().toString())
            .put("from_position", replay.fromPosition())
            .put("to_position", replay.toPosition())
            .put("only", replay.only());
    String kind = replay.origin().word();
    AuditLog.record(
        tx, workspaceId, caller, new Act(kind + "." + done, kind, replay.id(), changes));
  }

  /** Newest first; only those after {@code after}, unless that is null. */
  public List<Progress> list(
      UUID workspaceId, UUID endpointId, Backfills.@Nullable Place after, int max) {
    requireEndpoint(workspaceId, endpointId);
    return progress(backfills.list(endpointId, after, max));
  }

  /** Of all endpoints of the workspace, without redeliveries, newest first. */
  public List<Progress> newest(UUID workspaceId, int max) {
    return progress(backfills.newest(workspaceId, max));
  }

  private List<Progress> progress(List<Backfill> found) {
    Map<UUID, Map<DeliveryState, Long>> counts =
        backfills.undelivered(found.stream().map(Backfill::id).toList());
    return found.stream()
        .map(each -> progress(Replay.of(each), counts.getOrDefault(each.id(), Map.of())))
        .toList();
  }

  public Progress show(UUID workspaceId, UUID id) {
    Replay replay = backfills.show(workspaceId, id).map(Replay::of).orElseThrow(Replays::unknown);
    return progress(replay, backfills.undelivered(List.of(id)).getOrDefault(id, Map.of()));
  }

  /**
   * Deliveries that were published but not attempted will be skipped, and so will their retries.
   */
  public void cancel(Caller caller, UUID workspaceId, UUID id) {
    Progress progress = show(workspaceId, id);
    Replay replay = progress.replay();
    if (progress.isFinished()) {
      throw new Refusal(409, "the replay is finished: nothing is left to cancel");
    }
    if (replay.origin() == Origin.BACKFILL) {
      throw new Refusal(409, "a full history cannot be canceled: delete its endpoint instead");
    }
    transactions.call(tx -> {
      if (Backfills.cancel(tx, workspaceId, id)) {
        audit(tx, caller, workspaceId, "cancelled", replay);
      }
      return replay;
    });
  }

  /** The log has every delivery of a replay from its publication on. */
  private static Progress progress(Replay replay, Map<DeliveryState, Long> undelivered) {
    if (replay.origin() == Origin.BACKFILL) {
      return new Progress(replay, null);
    }
    Map<DeliveryState, Long> counts = new EnumMap<>(DeliveryState.class);
    long delivered = replay.published();
    for (DeliveryState state : DeliveryState.OF_CAPTURES) {
      long count = undelivered.getOrDefault(state, 0L);
      counts.put(state, count);
      delivered -= count;
    }
    counts.put(DeliveryState.DELIVERED, Math.max(0, delivered));
    return new Progress(replay, counts);
  }

  private void requireEndpoint(UUID workspaceId, UUID endpointId) {
    if (endpoints.show(workspaceId, endpointId).await().isEmpty()) {
      throw Endpoints.unknown();
    }
  }

  private void requireReplayable(UUID workspaceId, UUID endpointId) {
    boolean isStream =
        endpoints
            .show(workspaceId, endpointId)
            .await()
            .orElseThrow(Endpoints::unknown)
            .paging()
            .isStream();
    if (isStream) {
      throw new Refusal(
          409, "an endpoint with the delivery stream has no replays: move its cursor (seek)");
    }
  }

  private static Refusal unknown() {
    return new Refusal(404, "no such replay in this workspace");
  }

  private static Refusal beyondTheEnd(Replay replay) {
    return new Refusal(
        409,
        "there is nothing to replay: position %d is after the last one, %d"
            .formatted(replay.fromPosition(), replay.toPosition()));
  }

  private static Refusal tooMany() {
    return new Refusal(409, "the endpoint has " + Backfills.UNFINISHED_MAX + " unfinished replays");
  }
}
