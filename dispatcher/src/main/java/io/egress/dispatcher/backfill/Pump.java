package io.egress.dispatcher.backfill;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.backfill.OpenBackfills.Batch;
import io.egress.webhook.backfill.OpenBackfills.Open;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.LogEntry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Publishes backfills in batches, several at a time. The position of each is stored after Kafka has
 * acknowledged a batch and before the next one is read, so a crash repeats at most one batch.
 * Deliveries of a replay are entered in the delivery log first: unlike first deliveries they cannot
 * be computed from the stream, and they are visible from the moment they are owed.
 */
final class Pump {
  /** A catch-up becomes live when it comes to the head of the stream with so few. */
  private static final int FEW = 32;

  private final OpenBackfills store;
  private final DeliveryLog deliveryLog;
  private final RecordPublisher publisher;
  private final String topic;
  private final BooleanSupplier stopped;

  Pump(
      OpenBackfills store,
      DeliveryLog deliveryLog,
      RecordPublisher publisher,
      String topic,
      BooleanSupplier stopped) {
    this.store = store;
    this.deliveryLog = deliveryLog;
    this.publisher = publisher;
    this.topic = topic;
    this.stopped = stopped;
  }

  /** Publishes the reserved number of each; returns those that may have more. */
  Future<Set<UnfinishedBackfill>> turn(List<UnfinishedBackfill> backfills) {
    return savePositions(backfills).compose(_ -> publishNext(backfills));
  }

  private Future<Set<UnfinishedBackfill>> publishNext(List<UnfinishedBackfill> backfills) {
    Set<UnfinishedBackfill> more = new HashSet<>();
    Map<Open, Integer> most = new HashMap<>();
    for (UnfinishedBackfill backfill : backfills) {
      if (backfill.reserved() == 0) {
        more.add(backfill);
      } else {
        most.put(backfill.open(), backfill.reserved());
      }
    }
    return most.isEmpty()
        ? Future.succeededFuture(more)
        : store.take(most).compose(taken -> publish(turns(backfills, taken), more));
  }

  private List<Turn> turns(List<UnfinishedBackfill> backfills, Map<UUID, Batch> taken) {
    List<Turn> turns = new ArrayList<>();
    for (UnfinishedBackfill backfill : backfills) {
      Batch batch = backfill.reserved() == 0 ? null : taken.get(backfill.id());
      if (batch != null && !backfill.isForgotten() && !stopped.getAsBoolean()) {
        turns.add(new Turn(backfill, batch));
      }
    }
    return turns;
  }

  private Future<Set<UnfinishedBackfill>> publish(List<Turn> turns, Set<UnfinishedBackfill> more) {
    List<Delivery> deliveries =
        turns.stream().flatMap(turn -> turn.batch().deliveries().stream()).toList();
    List<Message> messages = deliveries.stream().map(each -> each.toRecord(topic)).toList();
    turns.forEach(Turn::publishing);
    return enter(deliveries)
        .compose(_ -> publisher.publish(messages))
        .onFailure(_ -> turns.forEach(Turn::unsure))
        .compose(_ -> {
          turns.forEach(Turn::acknowledged);
          return savePositions(turns.stream().map(Turn::backfill).toList());
        })
        .compose(_ -> atHead(turns))
        .map(_ -> {
          turns.stream()
              .filter(turn -> !turn.batch().last())
              .forEach(turn -> more.add(turn.backfill()));
          return more;
        });
  }

  private Future<Void> atHead(List<Turn> turns) {
    List<Future<?>> joining = new ArrayList<>();
    for (Turn turn : turns) {
      if (turn.batch().atHead()) {
        turn.backfill().atHead(true);
        if (turn.batch().deliveries().size() <= FEW) {
          joining.add(store.joinLive(turn.backfill().id()));
        }
      }
    }
    return Future.join(joining).mapEmpty();
  }

  private Future<Void> enter(List<Delivery> deliveries) {
    List<LogEntry> entries =
        deliveries.stream()
            .filter(delivery -> delivery.replayId() != null)
            .map(LogEntry::owed)
            .toList();
    return entries.isEmpty() ? Future.succeededFuture() : deliveryLog.write(entries);
  }

  private Future<Void> savePositions(List<UnfinishedBackfill> backfills) {
    List<UnfinishedBackfill> unsaved =
        backfills.stream().filter(UnfinishedBackfill::hasUnsavedPosition).toList();
    return unsaved.isEmpty()
        ? Future.succeededFuture()
        : store
            .advance(unsaved.stream().map(UnfinishedBackfill::reached).toList())
            .onSuccess(_ -> unsaved.forEach(UnfinishedBackfill::saved));
  }

  private record Turn(UnfinishedBackfill backfill, Batch batch) {
    private void publishing() {
      backfill.publishing(batch.deliveries());
      backfill.atHead(false);
    }

    private void unsure() {
      backfill.unsure(batch.deliveries());
    }

    private void acknowledged() {
      backfill.acknowledged(batch.nextPosition(), batch.deliveries().size());
    }
  }
}
