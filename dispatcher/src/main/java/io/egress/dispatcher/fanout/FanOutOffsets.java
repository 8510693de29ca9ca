package io.egress.dispatcher.fanout;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.consume.Wakeups;
import io.egress.outage.Outage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the fan-out got. It is committed now and then, and when partitions are given away: a
 * commit for each batch would take as long as the batch, and what is owed once more after a crash
 * is not sent once more. Used on the thread that polls.
 */
final class FanOutOffsets implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(FanOutOffsets.class);

  private static final Duration COMMIT_MAX = Duration.ofSeconds(2);
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Consumer<?, ?> consumer;
  private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
  private final Outage committing =
      new Outage(
          log,
          "how far the fan-out got cannot be committed for now, will try on",
          "how far the fan-out got is being committed again");
  private boolean underWay;
  private long startedNanos = System.nanoTime();

  FanOutOffsets(Consumer<?, ?> consumer) {
    this.consumer = requireNonNull(consumer, "consumer is null");
  }

  /** The deliveries of all records before these offsets are acknowledged. */
  void reached(Map<TopicPartition, OffsetAndMetadata> offsets) {
    uncommitted.putAll(offsets);
    uncommitted.keySet().retainAll(consumer.assignment());
  }

  /** One at a time: of two, the older might fail last, and take the place of the newer. */
  void commitNowAndThen() {
    if (uncommitted.isEmpty() || underWay || System.nanoTime() - startedNanos < PERIOD_NANOS) {
      return;
    }
    startedNanos = System.nanoTime();
    underWay = true;
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(uncommitted);
    uncommitted.clear();
    consumer.commitAsync(offsets, (committed, failure) -> answered(offsets, failure));
  }

  void commitAll() {
    commit(List.copyOf(uncommitted.keySet()));
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    commit(List.copyOf(partitions));
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    uncommitted.keySet().removeAll(partitions);
  }

  /** What fails is committed with the next, unless that has got further or is another's now. */
  private void answered(
      Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception failure) {
    underWay = false;
    if (failure == null) {
      committing.worked();
      return;
    }
    if (!(failure instanceof RebalanceInProgressException)) {
      committing.failed(failure);
    }
    offsets.keySet().retainAll(consumer.assignment());
    offsets.forEach(uncommitted::putIfAbsent);
  }

  /** Waits for it. Whoever reads on from an earlier offset owes the same deliveries again. */
  private void commit(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(uncommitted);
    offsets.keySet().retainAll(partitions);
    uncommitted.keySet().removeAll(offsets.keySet());
    if (offsets.isEmpty()) {
      return;
    }
    try {
      Wakeups.outlast(() -> consumer.commitSync(offsets, COMMIT_MAX));
    } catch (KafkaException failure) {
      log.debug("how far the fan-out got could not be committed: {}", failure.toString());
    }
  }
}
