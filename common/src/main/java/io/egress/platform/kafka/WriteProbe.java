package io.egress.platform.kafka;

import io.egress.platform.outage.Probe;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Writes empty records to a topic, to know whether Kafka takes records: one for each broker that
 * leads partitions and each set of replicas. A broker that answers need not be able to take
 * records: without the others it waits for replicas that do not come.
 *
 * <p>The topic is replicated like the others, and its partitions are led by all brokers.
 */
public final class WriteProbe implements Probe {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);

  private final Vertx vertx;
  private final KafkaSettings settings;
  private final Clock clock;
  private final String topic;
  private @Nullable Producer<String, Buffer> producer;
  private @Nullable KafkaProducer<String, Buffer> client;
  private boolean closed;

  private Future<Void> writing = Future.succeededFuture();
  private Future<Void> ensuring = Future.succeededFuture();
  private volatile long begunNanos;
  private volatile boolean ensured;

  /** Brokers may be unavailable. Records are dated by {@code clock}. */
  public WriteProbe(Vertx vertx, KafkaSettings settings, Clock clock) {
    this.clock = clock;
    this.vertx = vertx;
    this.settings = settings;
    this.topic = settings.topicPrefix() + "probe";
  }

  /**
   * Completes when records are acknowledged, and fails unless they soon are. No more are written
   * while earlier ones are not acknowledged.
   */
  @Override
  public synchronized Future<Void> ask(Duration within) {
    if (writing.isComplete()) {
      begunNanos = System.nanoTime();
      writing = write();
    }
    long millis = ensured ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos) : 0;
    long left = within.toMillis() - millis;
    if (left > 0) {
      return writing.timeout(left, TimeUnit.MILLISECONDS);
    }
    // The topic may be gone, with all of Kafka's data.
    if (ensuring.isComplete()) {
      ensuring = ensure();
    }
    return Future.failedFuture(
        new TimeoutException("records are not acknowledged for " + millis / 1000 + " s"));
  }

  /** Waits for what is in progress, which runs on threads of Vert.x. */
  public Future<Void> close() {
    return vertx
        .executeBlocking(
            () -> {
              KafkaProducer<String, Buffer> opened = taken();
              if (opened != null) {
                opened.unwrap().close(Duration.ZERO);
              }
              return null;
            },
            false)
        .eventually(() -> last().timeout(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS))
        .mapEmpty();
  }

  private synchronized Future<?> last() {
    return Future.join(writing, ensuring);
  }

  private Future<Void> write() {
    return (ensured ? Future.<Void>succeededFuture() : ensure())
        .compose(_ -> {
          begunNanos = System.nanoTime();
          return vertx.executeBlocking(this::send, false);
        })
        .compose(Function.identity())
        .onFailure(_ -> ensured = false);
  }

  private Future<Void> ensure() {
    return TopicAdmin.create(vertx, settings, List.of(NeededTopic.disposable(topic)))
        .compose(_ -> TopicAdmin.partitionsOnceKnown(vertx, settings, topic))
        .onSuccess(_ -> ensured = true)
        .mapEmpty();
  }

  /** May block for lack of metadata. Returns the acknowledgment. */
  private Future<Void> send() {
    Producer<String, Buffer> open = opened();
    List<Future<?>> acknowledged = new ArrayList<>();
    for (PartitionInfo sample : samples(open.partitionsFor(topic))) {
      Promise<Void> promise = Promise.promise();
      acknowledged.add(promise.future());
      var _ =
          open.send(
              new ProducerRecord<>(
                  topic, sample.partition(), clock.millis(), null, Buffer.buffer()),
              (_, failed) -> {
                if (failed == null) {
                  promise.complete();
                } else {
                  promise.fail(failed);
                }
              });
    }
    return Future.join(acknowledged).mapEmpty();
  }

  /** One of the partitions with the same leader and replicas. */
  private static Collection<PartitionInfo> samples(List<PartitionInfo> partitions) {
    Map<List<Integer>, PartitionInfo> samples = new HashMap<>();
    for (PartitionInfo partition : partitions) {
      Node leader = partition.leader();
      List<Integer> brokers = new ArrayList<>();
      for (Node replica : partition.replicas()) {
        brokers.add(replica.id());
      }
      Collections.sort(brokers);
      brokers.add(leader == null ? Node.noNode().id() : leader.id());
      samples.putIfAbsent(brokers, partition);
    }
    return samples.values();
  }

  private synchronized Producer<String, Buffer> opened() {
    if (closed) {
      throw new IllegalStateException("the probe is closed");
    }
    Producer<String, Buffer> open = producer;
    if (open == null) {
      KafkaProducer<String, Buffer> created = KafkaClients.producer(vertx, settings);
      client = created;
      open = created.unwrap();
      producer = open;
    }
    return open;
  }

  private synchronized @Nullable KafkaProducer<String, Buffer> taken() {
    closed = true;
    return client;
  }
}
