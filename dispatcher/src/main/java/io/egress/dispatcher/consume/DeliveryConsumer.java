package io.egress.dispatcher.consume;

import static java.util.Objects.requireNonNull;

import io.egress.outage.Outage;
import io.egress.settings.KafkaSettings;
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
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker's consumer over all delivery topics. It never stops polling: whatever is not wanted
 * for now is paused partition by partition. Owned by the event loop it is made on.
 */
public final class DeliveryConsumer {
  private static final Logger log = LoggerFactory.getLogger(DeliveryConsumer.class);

  /** Also how long a commit or a resumption may have to wait for a poll that finds nothing. */
  private static final Duration POLL_TIMEOUT = Duration.ofMillis(50);

  /** What to do with partitions and their records; all calls come on the event loop. */
  public interface Reader {
    void assigned(Set<TopicPartition> partitions);

    /**
     * Nothing more is to be begun of these partitions. Completes with the offsets to commit, within
     * the time that a hand-over may take.
     */
    Future<Map<TopicPartition, Long>> revoked(Set<TopicPartition> partitions);

    /** They belong to another worker already. */
    void lost(Set<TopicPartition> partitions);

    /** What throws ends up at the event loop's exception handler, and reading stops. */
    void read(ConsumerRecords<byte[], byte[]> records);

    /** Something failed that Kafka's client does not recover from by itself. */
    void failed(Throwable failure);
  }

  private final Context context;
  private final Reader reader;
  private final KafkaReadStream<byte[], byte[]> stream;
  private final Set<TopicPartition> assigned = new HashSet<>();
  private final Set<TopicPartition> paused = new HashSet<>();
  private volatile long lastPollNanos = System.nanoTime();
  private final Outage reading =
      new Outage(log, "deliveries cannot be read, will try on", "deliveries are being read again");
  private boolean closed;

  /**
   * @param handoverMax how long the polling thread waits for a hand-over, somewhat longer than the
   *     reader means to take
   */
  public DeliveryConsumer(
      Vertx vertx, KafkaSettings settings, String group, Duration handoverMax, Reader reader) {
    this.reader = requireNonNull(reader, "reader is null");
    this.context = vertx.getOrCreateContext();
    this.stream =
        KafkaReadStream.create(
            vertx,
            PartitionHandover.guard(
                new KafkaConsumer<>(ConsumerConfig.of(settings, group)),
                new OnEventLoop(handoverMax),
                () -> lastPollNanos = System.nanoTime()));
    stream.pollTimeout(POLL_TIMEOUT);
    stream.exceptionHandler(this::failed);
    stream.batchHandler(
        records -> {
          reading.worked();
          reader.read(records);
        });
  }

  public Future<Void> subscribe(Set<String> topics) {
    return stream.subscribe(topics);
  }

  /** Those of {@code wanted} are paused from the next poll on, all others read. */
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
          .onFailure(
              failure -> {
                log.debug("partitions were not paused and will be tried again", failure);
                paused.removeAll(pause);
              });
    }
    if (!resume.isEmpty()) {
      paused.removeAll(resume);
      stream
          .resume(resume)
          .onFailure(
              failure -> {
                log.debug("partitions were not resumed and will be tried again", failure);
                resume.retainAll(assigned);
                paused.addAll(resume);
              });
    }
  }

  /** The record at {@code offset} is the next one read of the partition. */
  public void rewind(TopicPartition partition, long offset) {
    if (!closed) {
      stream.seek(partition, offset).onFailure(failure -> notRewound(partition, failure));
    }
  }

  public Future<Void> commit(Map<TopicPartition, Long> offsets) {
    return closed
        ? Future.failedFuture(new IllegalStateException("the consumer is closed"))
        : stream.commit(metadata(offsets)).mapEmpty();
  }

  public Set<TopicPartition> assigned() {
    return Set.copyOf(assigned);
  }

  /** How many partitions a topic has of which this worker has one. */
  public Future<Integer> partitions(String topic) {
    return stream.partitionsFor(topic).map(List::size);
  }

  /** To be asked from any thread: a consumer that no longer polls reads nothing. */
  public Duration sinceLastPoll() {
    return Duration.ofNanos(System.nanoTime() - lastPollNanos);
  }

  /** Hands all partitions over and leaves the group. */
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
      log.debug("nothing is committed before the rebalance is over", failure);
    } else if (failure instanceof KafkaException) {
      reading.failed(failure);
    } else {
      context.runOnContext(now -> reader.failed(failure));
    }
  }

  /** A partition can be gone by then. One that is not would go on behind records left out. */
  private void notRewound(TopicPartition partition, Throwable failure) {
    if (assigned.contains(partition) && !closed) {
      reader.failed(failure);
    } else {
      log.debug("a partition was not rewound: it is gone", failure);
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> metadata(
      Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, OffsetAndMetadata> metadata = new HashMap<>();
    offsets.forEach((partition, offset) -> metadata.put(partition, new OffsetAndMetadata(offset)));
    return metadata;
  }

  /** Passes what happens on the polling thread to the event loop, in the same order. */
  private final class OnEventLoop implements PartitionHandover.Owner {
    private final Duration handoverMax;

    private OnEventLoop(Duration handoverMax) {
      this.handoverMax = requireNonNull(handoverMax, "handoverMax is null");
    }

    /** Kafka gives partitions unpaused, whatever they were before. */
    @Override
    public void assigned(Set<TopicPartition> partitions) {
      context.runOnContext(
          now -> {
            assigned.addAll(partitions);
            paused.removeAll(partitions);
            reader.assigned(partitions);
          });
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> revoked(Set<TopicPartition> partitions) {
      Promise<Map<TopicPartition, Long>> drained = Promise.promise();
      context.runOnContext(
          now -> {
            forget(partitions);
            reader.revoked(partitions).onComplete(drained);
          });
      return metadata(waitFor(drained.future(), partitions));
    }

    @Override
    public void lost(Set<TopicPartition> partitions) {
      context.runOnContext(
          now -> {
            forget(partitions);
            reader.lost(partitions);
          });
    }

    private void forget(Set<TopicPartition> partitions) {
      assigned.removeAll(partitions);
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
        log.warn("{} were not drained before they were handed over", partitions, late);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return Map.of();
    }
  }
}
