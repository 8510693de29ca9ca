package io.egress.dispatcher.backfill;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.queue.Topics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.sqlclient.Pool;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Backfills on an event loop of their own, as a dispatcher worker has them. */
final class TestWorker extends VerticleBase {
  private final Pool pool;
  private final DeliveryLog log;
  private final RecordPublisher publisher;
  private final Topics topics;
  private final BackfillSettings settings;
  private @Nullable BackfillPublisher backfills;

  TestWorker(
      Pool pool,
      DeliveryLog log,
      RecordPublisher publisher,
      Topics topics,
      BackfillSettings settings) {
    this.pool = pool;
    this.log = log;
    this.publisher = publisher;
    this.topics = topics;
    this.settings = settings;
  }

  @Override
  public Future<?> start() {
    backfills = new BackfillPublisher(vertx, pool, log, publisher, topics, settings);
    backfills.start();
    return Future.succeededFuture();
  }

  void own(Integer... partitions) {
    call(each -> {
      each.own(Set.of(partitions));
      return Future.succeededFuture();
    });
  }

  void settle(Collection<Delivery> deliveries) {
    List<Delivery> settled = List.copyOf(deliveries);
    call(each -> {
      settled.forEach(each::settled);
      return Future.succeededFuture();
    });
  }

  int ahead() {
    return call(each -> Future.succeededFuture(each.ahead()));
  }

  void close() {
    var _ = call(each -> each.close().map(_ -> null));
  }

  private <T> T call(Function<BackfillPublisher, Future<T>> work) {
    Promise<T> done = Promise.promise();
    context.runOnContext(_ -> work.apply(Objects.requireNonNull(backfills)).onComplete(done));
    return BackfillWorld.await(done.future());
  }
}
