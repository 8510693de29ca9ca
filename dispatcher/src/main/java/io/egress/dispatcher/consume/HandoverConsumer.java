package io.egress.dispatcher.consume;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Kafka consumer inside the Vert.x one. A revocation waits until the records read from its
 * partitions are finished, and commits them. The Vert.x client reports a revocation without
 * waiting, so another worker would read records that this one is still sending; its listener is
 * replaced by one that blocks the polling thread.
 */
final class HandoverConsumer extends KafkaConsumer<byte[], byte[]> {
  private static final Logger log = LoggerFactory.getLogger(HandoverConsumer.class);

  /** Called on the polling thread. */
  interface Owner {
    void assigned(Set<TopicPartition> partitions);

    /** Returns the offsets to commit; may block for as long as the hand-over may take. */
    Map<TopicPartition, OffsetAndMetadata> revoked(Set<TopicPartition> partitions);

    /** The partitions belong to another worker already. */
    void lost(Set<TopicPartition> partitions);
  }

  private final Set<String> replaced;
  private final Owner owner;
  private final Runnable beforePoll;

  /** Topics in {@code replaced} are read from the beginning. */
  HandoverConsumer(
      Map<String, Object> properties, Set<String> replaced, Owner owner, Runnable beforePoll) {
    super(properties);
    this.replaced = replaced;
    this.owner = owner;
    this.beforePoll = beforePoll;
  }

  @Override
  public void subscribe(Collection<String> topics, ConsumerRebalanceListener replaced) {
    super.subscribe(topics, new Handover());
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    beforePoll.run();
    return super.poll(timeout);
  }

  /** A wake-up is meant for the poll, and is passed on to the next one. */
  @Override
  public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
    boolean wokenUp = false;
    boolean interrupted;
    try {
      do {
        interrupted = false;
        try {
          super.commitSync(offsets);
        } catch (WakeupException woken) {
          interrupted = true;
          wokenUp = true;
        }
      } while (interrupted);
    } finally {
      if (wokenUp) {
        wakeup();
      }
    }
  }

  private final class Handover implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      List<TopicPartition> fromBeginning =
          partitions.stream().filter(each -> replaced.contains(each.topic())).toList();
      // Without any, it would mean all.
      if (!fromBeginning.isEmpty()) {
        seekToBeginning(fromBeginning);
      }
      owner.assigned(Set.copyOf(partitions));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      if (partitions.isEmpty()) {
        return;
      }
      Map<TopicPartition, OffsetAndMetadata> offsets = owner.revoked(Set.copyOf(partitions));
      if (offsets.isEmpty()) {
        return;
      }
      try {
        commitSync(offsets);
      } catch (KafkaException failure) {
        log.warn(
            "Cannot commit; the next owner of {} repeats finished records", partitions, failure);
      }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      owner.lost(Set.copyOf(partitions));
    }
  }
}
