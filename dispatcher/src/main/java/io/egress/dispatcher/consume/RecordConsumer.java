package io.egress.dispatcher.consume;

import io.egress.platform.kafka.ConnectionProperties;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.outage.Outage;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.consumer.KafkaReadStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member of a consumer group. It never stops polling: unwanted partitions are paused instead.
 * Owned by the event loop that created it.
 */
public final class RecordConsumer {
  private static final Logger log = LoggerFactory.getLogger(RecordConsumer.class);

  /** Records per poll; a reader needs room for this many beyond the mark at which it pauses. */
  private static final int POLL_RECORDS_MAX = 500;

  /**
   * How long a poll waits for records if nothing else is to be done; every call of the owner wakes
   * it up.
   */
  private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

  /** Members learn about a rebalance from a heartbeat. */
  private static final String HEARTBEAT_INTERVAL_MS = "1000";

  /**
   * How to consume.
   *
   * @param group the consumer group to join
   * @param assignor how the group divides partitions
   * @param tuning further properties of the consumer
   * @param replaced topics that are read from the beginning, because committed offsets are those of
   *     former topics with these names
   */
  public record Subscription(
      String group,
      Class<? extends ConsumerPartitionAssignor> assignor,
      Map<String, String> tuning,
      Set<String> replaced) {
    public Subscription {
      tuning = Map.copyOf(tuning);
      replaced = Set.copyOf(replaced);
    }

    private Map<String, Object> properties(KafkaSettings settings) {
      Map<String, Object> properties = new HashMap<>(ConnectionProperties.of(settings));
      properties.put("group.id", group);
      properties.put("partition.assignment.strategy", assignor.getName());
      properties.put("session.timeout.ms", Long.toString(KafkaSettings.SESSION_TIMEOUT.toMillis()));
      properties.put("heartbeat.interval.ms", HEARTBEAT_INTERVAL_MS);
      properties.put("max.poll.records", POLL_RECORDS_MAX);
      properties.put("enable.auto.commit", "false");
      // A broker would recreate a deleted topic with its default number of partitions.
      properties.put("allow.auto.create.topics", "false");
      properties.put("auto.offset.reset", "earliest");
      properties.put("key.deserializer", ByteArrayDeserializer.class.getName());
      properties.put("value.deserializer", ByteArrayDeserializer.class.getName());
      properties.putAll(tuning);
      return properties;
    }
  }

  /** Receives partitions and records, on the event loop. */
  public interface Reader {
    void assigned(Set<TopicPartition> partitions);

    /**
     * Begins no more work for these partitions. Returns the offsets to commit, within the time
     * limit of a hand-over.
     */
    Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions);

    /** The partitions belong to another worker already. */
    void lost(Set<TopicPartition> partitions);

    /** An exception goes to the handler of the event loop's context, and reading stops. */
    void read(ConsumerRecords<byte[], byte[]> records);

    /** A failure that Kafka's client does not recover from. */
    void failed(Throwable failure);
  }

  private final Context context;
  private final Reader reader;
  private final HandoverConsumer consumer;
  private final KafkaReadStream<byte[], byte[]> stream;
  private Set<TopicPartition> assigned = Set.of();
  private final Set<TopicPartition> paused = new HashSet<>();
  private volatile long lastPollNanos = System.nanoTime();
  private final Outage reading =
      new Outage(log, "Cannot read from Kafka; retrying", "Records are read from Kafka again");
  private boolean closed;

  /**
   * Does not read before {@link #subscribe}.
   *
   * @param handoverMax how long the polling thread waits for a hand-over, somewhat longer than the
   *     reader intends to take
   */
  public RecordConsumer(
      Vertx vertx,
      KafkaSettings settings,
      Subscription subscription,
      Duration handoverMax,
      Reader reader) {
    this.reader = reader;
    this.context = vertx.getOrCreateContext();
    this.consumer =
        new HandoverConsumer(
            subscription.properties(settings),
            subscription.replaced(),
            new OnEventLoop(handoverMax),
            () -> lastPollNanos = System.nanoTime());
    this.stream = KafkaReadStream.create(vertx, consumer);
    stream.pollTimeout(POLL_TIMEOUT);
    stream.exceptionHandler(this::failed);
    stream.batchHandler(records -> {
      reading.worked();
      reader.read(records);
    });
  }

  public Future<Void> subscribe(Set<String> topics) {
    return stream.subscribe(topics);
  }

  /** From the next poll on, exactly the partitions of {@code wanted} are paused. */
  public void pauseOnly(Set<TopicPartition> wanted) {
    if (closed) {
      return;
    }
    Set<TopicPartition> pause = new HashSet<>(wanted);
    pause.removeAll(paused);
    pause.retainAll(assigned);
    Set<TopicPartition> resume = new HashSet<>(paused);
    resume.removeAll(wanted);
    if (!pause.isEmpty()) {
      paused.addAll(pause);
      stream
          .pause(pause)
          .onFailure(failure -> {
            log.debug("Cannot pause partitions; retrying", failure);
            paused.removeAll(pause);
          });
      consumer.wakeup();
    }
    if (!resume.isEmpty()) {
      paused.removeAll(resume);
      stream
          .resume(resume)
          .onFailure(failure -> {
            log.debug("Cannot resume partitions; retrying", failure);
            resume.retainAll(assigned);
            paused.addAll(resume);
          });
      consumer.wakeup();
    }
  }

  /** The record at {@code offset} is the next one read from the partition. */
  public void rewind(TopicPartition partition, long offset) {
    if (!closed) {
      stream.seek(partition, offset).onFailure(failure -> notRewound(partition, failure));
      // The stream passes it on from the event loop, so the poll has to end after that.
      context.runOnContext(_ -> consumer.wakeup());
    }
  }

  public Future<Void> commit(Map<TopicPartition, Long> offsets) {
    if (closed) {
      return Future.failedFuture(new IllegalStateException("the consumer is closed"));
    }
    Future<Void> committed = stream.commit(metadata(offsets)).mapEmpty();
    consumer.wakeup();
    return committed;
  }

  public Set<TopicPartition> assigned() {
    return assigned;
  }

  /** The number of partitions of a topic of which this worker has at least one. */
  public Future<Integer> partitions(String topic) {
    Future<Integer> partitions = stream.partitionsFor(topic).map(List::size);
    consumer.wakeup();
    return partitions;
  }

  /** A consumer that no longer polls reads nothing. Thread-safe. */
  public Duration sinceLastPoll() {
    return Duration.ofNanos(System.nanoTime() - lastPollNanos);
  }

  /** Hands over all partitions and leaves the group. */
  public Future<Void> close() {
    if (closed) {
      return Future.succeededFuture();
    }
    closed = true;
    return stream.close();
  }

  /** On the polling thread. */
  private void failed(Throwable failure) {
    if (failure instanceof RebalanceInProgressException) {
      log.debug("No commit until the rebalance has ended", failure);
    } else if (failure instanceof WakeupException) {
      log.debug("A request was interrupted by a wake-up", failure);
    } else if (failure instanceof KafkaException) {
      reading.failed(failure);
    } else {
      context.runOnContext(_ -> reader.failed(failure));
    }
  }

  /** Otherwise a partition that is still assigned would continue after the dropped records. */
  private void notRewound(TopicPartition partition, Throwable failure) {
    if (assigned.contains(partition) && !closed) {
      reader.failed(failure);
    } else {
      log.debug("Partition {} was revoked before it was rewound", partition, failure);
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> metadata(
      Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, OffsetAndMetadata> metadata = new HashMap<>();
    offsets.forEach((partition, offset) -> metadata.put(partition, new OffsetAndMetadata(offset)));
    return metadata;
  }

  /** Passes events of the polling thread to the event loop in order. */
  private final class OnEventLoop implements HandoverConsumer.Owner {
    private final Duration handoverMax;

    private OnEventLoop(Duration handoverMax) {
      this.handoverMax = handoverMax;
    }

    /** Kafka assigns partitions unpaused, even those that were paused before. */
    @Override
    public void assigned(Set<TopicPartition> partitions) {
      context.runOnContext(_ -> {
        Set<TopicPartition> more = new HashSet<>(assigned);
        more.addAll(partitions);
        assigned = Set.copyOf(more);
        paused.removeAll(partitions);
        reader.assigned(partitions);
      });
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> revoked(Set<TopicPartition> partitions) {
      Promise<Map<TopicPartition, Long>> drained = Promise.promise();
      context.runOnContext(_ -> {
        forget(partitions);
        reader.revoked(partitions).onComplete(drained);
      });
      return metadata(waitFor(drained.future(), partitions));
    }

    @Override
    public void lost(Set<TopicPartition> partitions) {
      context.runOnContext(_ -> {
        forget(partitions);
        reader.lost(partitions);
      });
    }

    private void forget(Set<TopicPartition> partitions) {
      Set<TopicPartition> fewer = new HashSet<>(assigned);
      fewer.removeAll(partitions);
      assigned = Set.copyOf(fewer);
      paused.removeAll(partitions);
    }

    private Map<TopicPartition, Long> waitFor(
        Future<Map<TopicPartition, Long>> drained, Set<TopicPartition> partitions) {
      try {
        return drained
            .toCompletionStage()
            .toCompletableFuture()
            .get(handoverMax.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException late) {
        log.warn("{} were handed over before they were drained", partitions, late);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return Map.of();
    }
  }
}
