package io.egress.dispatcher.deliver;

import io.egress.dispatcher.consume.DeliveryConsumer;
import io.egress.dispatcher.document.Heads;
import io.egress.dispatcher.durable.DurableBatches;
import io.egress.dispatcher.durable.DurableBatches.Medium;
import io.egress.dispatcher.journal.Journal;
import io.egress.dispatcher.journal.JournalEntry;
import io.egress.dispatcher.ledger.Commit;
import io.egress.dispatcher.send.NameLookup;
import io.egress.dispatcher.send.SenderSettings;
import io.egress.dispatcher.send.WebhookSender;
import io.egress.endpoint.EndpointStore;
import io.egress.flow.ByteBudget;
import io.egress.kafka.RecordPublisher;
import io.egress.kafka.RecordPublisher.Message;
import io.egress.kafka.Topics;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers on the event loop it is made on. Partition i of every delivery topic belongs to the same
 * worker, so an endpoint's deliveries, retries and history all meet here, and its limits need no
 * coordination.
 */
final class DeliveryWorker implements DeliveryConsumer.Reader {
  private static final Logger log = LoggerFactory.getLogger(DeliveryWorker.class);

  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration COMMIT_PERIOD = Duration.ofSeconds(1);

  /** Beyond the patience of a hand-over, for what the event loop has to do about it. */
  private static final Duration HANDOVER_GRACE = Duration.ofSeconds(2);

  /** What a partition's ledger must have room for before it is read on. */
  private static final int ROOM_MIN = 1_000;

  private static final int ENVELOPES_WAITING_MAX = 100_000;

  private final Vertx vertx;
  private final WorkerSettings bounds;
  private final Clock clock = Clock.systemUTC();
  private final Workload workload;
  private final Pauses pauses;
  private final Reading reading;
  private final Handover handover;
  private final Aftermath aftermath;
  private final WebhookSender sender;
  private final Dispatch dispatch;
  private final DeliveryConsumer consumer;
  private long tickTimer;
  private long commitTimer;
  private boolean committing;
  private boolean closing;

  DeliveryWorker(Vertx vertx, SharedParts shared, WorkerSettings bounds) {
    this.vertx = vertx;
    this.bounds = bounds;
    Settings settings = shared.settings();
    Topics topics = new Topics(settings.kafka().topicPrefix());
    workload = new Workload(bounds.lanes(), bounds.spanMax(), System::nanoTime);
    pauses = new Pauses(workload, topics, Math.min(ROOM_MIN, bounds.spanMax()));
    handover = new Handover(vertx, workload);
    Journal journal = new Journal(shared.pool(), shared.days());
    aftermath = aftermath(shared, topics, journal);
    sender =
        new WebhookSender(
            vertx,
            new SenderSettings(
                settings.dispatcher().attemptTimeout(),
                SenderSettings.DEFAULTS.keepName(),
                SenderSettings.DEFAULTS.pool()),
            settings.push().addressPolicy(),
            NameLookup.using(vertx),
            shared.trust());
    ByteBudget memory = new ByteBudget(vertx, bounds.envelopeBytesMax(), ENVELOPES_WAITING_MAX);
    dispatch =
        new Dispatch(
            vertx,
            workload,
            new Preparation(
                new EndpointStore(shared.pool()),
                journal,
                new Heads(vertx, shared.pool(), shared.documents())),
            new Receivers(shared.secrets(), settings.push().allowHttpEndpoints()),
            new Attempts(workload, sender, aftermath, memory, clock),
            aftermath);
    consumer =
        new DeliveryConsumer(
            vertx,
            settings.kafka(),
            topics.prefix() + "dispatcher",
            bounds.closePatience().plus(bounds.handoverPatience()).plus(HANDOVER_GRACE),
            this);
    reading = new Reading(workload, pauses, topics, clock, consumer::rewind);
  }

  private Aftermath aftermath(SharedParts shared, Topics topics, Journal journal) {
    RecordPublisher publisher = shared.publisher();
    DurableBatches<Message> records =
        new DurableBatches<>(
            vertx, new Medium<>("delivery records", message -> message, publisher::publish));
    DurableBatches<JournalEntry> entries =
        new DurableBatches<>(
            vertx, new Medium<>("outcomes", entry -> entry.delivery().id(), journal::write));
    return new Aftermath(
        topics,
        shared.settings().dispatcher().retrySchedule(),
        clock,
        records,
        entries,
        new Aftermath.Ends(this::finished, ended -> {}));
  }

  Future<Void> start(Set<String> topics) {
    tickTimer = vertx.setPeriodic(TICK.toMillis(), tick -> tick());
    commitTimer = vertx.setPeriodic(COMMIT_PERIOD.toMillis(), tick -> commit());
    return consumer.subscribe(topics);
  }

  /** Hands over what it has and leaves its group. */
  Future<Void> close() {
    closing = true;
    return consumer
        .close()
        .eventually(
            () -> {
              vertx.cancelTimer(tickTimer);
              vertx.cancelTimer(commitTimer);
              return sender.close();
            });
  }

  @Override
  public void assigned(Set<TopicPartition> partitions) {
    log.info("{} partitions more", partitions.size());
    workload.assign(partitions);
    applyPauses();
  }

  @Override
  public Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions) {
    log.info("{} partitions less", partitions.size());
    pauses.forget(partitions);
    return handover.drain(partitions, closing ? bounds.closePatience() : bounds.handoverPatience());
  }

  @Override
  public void lost(Set<TopicPartition> partitions) {
    log.warn("{} partitions were lost to other workers", partitions.size());
    pauses.forget(partitions);
    handover.lose(partitions);
  }

  @Override
  public void read(ConsumerRecords<byte[], byte[]> records) {
    reading.read(records);
    applyPauses();
    dispatch.proceed();
  }

  private void finished(Job job) {
    workload.finish(job);
    handover.check();
    dispatch.proceed();
  }

  private void tick() {
    workload
        .takeParkable()
        .forEach(parkable -> aftermath.postponed(parkable.record(), parkable.delay()));
    applyPauses();
    dispatch.proceed();
  }

  private void applyPauses() {
    consumer.pauseOnly(pauses.current(consumer.assigned(), clock.instant()));
  }

  private void commit() {
    List<Commit<TopicPartition>> due = workload.commitsDue();
    if (due.isEmpty() || committing || closing) {
      return;
    }
    Map<TopicPartition, Long> offsets = new HashMap<>();
    due.forEach(commit -> offsets.put(commit.partition(), commit.nextOffset()));
    committing = true;
    consumer
        .commit(offsets)
        .onSuccess(committed -> due.forEach(workload::committed))
        .onFailure(failure -> log.debug("offsets were not committed", failure))
        .onComplete(done -> committing = false);
  }
}
