package io.egress.dispatcher.consume;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes revocation wait until what was read of the partitions is over, and commits before they are
 * let go of. The Vert.x client only tells of a revocation, after which another worker would read
 * what this one is still busy with; so its listener is exchanged for this one, which runs on the
 * thread that polls and holds it up.
 */
final class PartitionHandover implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(PartitionHandover.class);

  /** What happens to the partitions; called on the polling thread. */
  interface Owner {
    void assigned(Set<TopicPartition> partitions);

    /** Returns the offsets to commit; may block for as long as the hand-over may take. */
    Map<TopicPartition, OffsetAndMetadata> revoked(Set<TopicPartition> partitions);

    /** They belong to another worker already. */
    void lost(Set<TopicPartition> partitions);
  }

  private final Consumer<?, ?> consumer;
  private final Owner owner;

  private PartitionHandover(Consumer<?, ?> consumer, Owner owner) {
    this.consumer = requireNonNull(consumer, "consumer is null");
    this.owner = requireNonNull(owner, "owner is null");
  }

  /**
   * The consumer with this as the listener of every subscription; {@code polled} is run before each
   * poll.
   */
  @SuppressWarnings("unchecked")
  static <K, V> Consumer<K, V> guard(Consumer<K, V> consumer, Owner owner, Runnable polled) {
    PartitionHandover handover = new PartitionHandover(consumer, owner);
    Function<Object[], Object[]> withListener = given -> new Object[] {given[0], handover};
    return (Consumer<K, V>)
        Proxy.newProxyInstance(
            Consumer.class.getClassLoader(),
            new Class<?>[] {Consumer.class},
            (proxy, method, given) -> {
              if (method.getName().equals("poll")) {
                polled.run();
              }
              boolean subscribes = method.getName().equals("subscribe") && given.length == 2;
              try {
                return method.invoke(consumer, subscribes ? withListener.apply(given) : given);
              } catch (InvocationTargetException failure) {
                throw failure.getCause() == null ? failure : failure.getCause();
              }
            });
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
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
      Wakeups.outlast(() -> consumer.commitSync(offsets));
    } catch (KafkaException failure) {
      log.warn("what was finished will be read again by the next owner: {}", failure.toString());
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    owner.lost(Set.copyOf(partitions));
  }
}
