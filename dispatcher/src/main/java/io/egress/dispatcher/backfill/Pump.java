package io.egress.dispatcher.backfill;

import io.egress.delivery.Delivery;
import io.egress.kafka.RecordPublisher;
import io.egress.kafka.RecordPublisher.Message;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Publishes a history in batches. Its position is stored after Kafka has acknowledged a batch and
 * before the next one is read, so a crash repeats at most one batch.
 */
final class Pump {
  private final BackfillStore store;
  private final RecordPublisher publisher;
  private final String topic;
  private final BooleanSupplier stopped;

  Pump(BackfillStore store, RecordPublisher publisher, String topic, BooleanSupplier stopped) {
    this.store = store;
    this.publisher = publisher;
    this.topic = topic;
    this.stopped = stopped;
  }

  /** Publishes as many as were reserved; completes with whether there may be more. */
  Future<Boolean> turn(EndpointHistory history) {
    return savePosition(history)
        .compose(
            saved -> history.reserved() == 0 ? Future.succeededFuture(true) : publishNext(history));
  }

  private Future<Boolean> publishNext(EndpointHistory history) {
    return store
        .take(history.endpointId(), history.reserved())
        .compose(
            batch ->
                batch.isEmpty() || history.isForgotten() || stopped.getAsBoolean()
                    ? Future.succeededFuture(false)
                    : publish(history, batch.get()));
  }

  private Future<Boolean> publish(EndpointHistory history, BackfillStore.Batch batch) {
    List<Delivery> deliveries = batch.deliveries();
    List<Message> messages =
        deliveries.stream()
            .map(each -> new Message(topic, each.endpointId().toString(), each.encode()))
            .toList();
    history.publishing(deliveries);
    return publisher
        .publish(messages)
        .onFailure(failure -> history.unsure(deliveries))
        .compose(
            acknowledged -> {
              history.acknowledged(batch.nextPosition());
              return savePosition(history);
            })
        .map(saved -> !batch.last());
  }

  private Future<Void> savePosition(EndpointHistory history) {
    return history.hasUnsavedPosition()
        ? store
            .advance(history.endpointId(), history.unsavedPosition())
            .onSuccess(saved -> history.saved())
        : Future.succeededFuture();
  }
}
