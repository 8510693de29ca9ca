package io.egress.dispatcher.backfill;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.webhook.backfill.OpenBackfills;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.LogEntry;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Publishes a backfill in batches. Its position is stored after Kafka has acknowledged a batch and
 * before the next one is read, so a crash repeats at most one batch. Deliveries of a replay are
 * entered in the delivery log first: unlike first deliveries they cannot be computed from the
 * stream, and they are visible from the moment they are owed.
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

  /** Publishes the reserved number; returns whether there may be more. */
  Future<Boolean> turn(UnfinishedBackfill backfill) {
    return savePosition(backfill)
        .compose(_ -> backfill.reserved() == 0 ? more(true) : publishNext(backfill));
  }

  private Future<Boolean> publishNext(UnfinishedBackfill backfill) {
    return store
        .take(backfill.id(), backfill.reserved())
        .compose(batch ->
            batch.isEmpty() || backfill.isForgotten() || stopped.getAsBoolean()
                ? more(false)
                : publish(backfill, batch.get()));
  }

  private Future<Boolean> publish(UnfinishedBackfill backfill, OpenBackfills.Batch batch) {
    List<Delivery> deliveries = batch.deliveries();
    List<Message> messages =
        deliveries.stream()
            .map(each -> new Message(topic, each.endpointId().toString(), each.encode()))
            .toList();
    backfill.publishing(deliveries);
    backfill.drains(false);
    return enter(deliveries)
        .compose(_ -> publisher.publish(messages))
        .onFailure(_ -> backfill.unsure(deliveries))
        .compose(_ -> {
          backfill.acknowledged(batch.nextPosition(), deliveries.size());
          return savePosition(backfill);
        })
        .compose(_ -> batch.atHead() ? atHead(backfill, batch) : more(!batch.last()));
  }

  private Future<Boolean> atHead(UnfinishedBackfill backfill, OpenBackfills.Batch batch) {
    backfill.drains(true);
    return batch.deliveries().size() <= FEW
        ? store.joinLive(backfill.id()).map(_ -> true)
        : more(true);
  }

  private static Future<Boolean> more(boolean isMore) {
    return Future.succeededFuture(isMore);
  }

  private Future<Void> enter(List<Delivery> deliveries) {
    List<LogEntry> entries =
        deliveries.stream()
            .filter(delivery -> delivery.replayId() != null)
            .map(LogEntry::owed)
            .toList();
    return entries.isEmpty() ? Future.succeededFuture() : deliveryLog.write(entries);
  }

  private Future<Void> savePosition(UnfinishedBackfill backfill) {
    return backfill.hasUnsavedPosition()
        ? store
            .advance(backfill.id(), backfill.unsavedPosition(), backfill.unsavedCount())
            .onSuccess(_ -> backfill.saved())
        : Future.succeededFuture();
  }
}
