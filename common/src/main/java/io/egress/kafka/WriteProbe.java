package io.egress.kafka;

import static java.util.Objects.requireNonNull;

import io.egress.lifecycle.Periodic;
import io.egress.settings.KafkaSettings;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Writes empty records to a topic every second, to know whether Kafka takes records: one for each
 * broker that leads partitions and each set of replicas. A broker that answers need not be able to
 * take records: without the others it waits for replicas that do not come.
 *
 * <p>The topic is replicated like the others, and its partitions are led by all brokers.
 */
public final class WriteProbe {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);
  private static final Duration ACKNOWLEDGED_WITHIN = Duration.ofMillis(2_500);

  private final Vertx vertx;
  private final KafkaSettings settings;
  private final String topic;
  private final Periodic writing;
  private final Promise<Void> first = Promise.promise();
  private @Nullable Producer<String, Buffer> producer;
  private @Nullable KafkaProducer<String, Buffer> client;
  private boolean ensured;
  private boolean closed;
  private volatile @Nullable Throwable failure;

  private volatile Future<?> current = Future.succeededFuture();
  private volatile long pendingSinceNanos;
  private volatile boolean pending;

  /** Begins to write. Brokers may be unavailable. */
  public WriteProbe(Vertx vertx, KafkaSettings settings) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.settings = requireNonNull(settings, "settings is null");
    this.topic = new Topics(settings.topicPrefix()).probe();
    this.writing = Periodic.nowAndEvery(vertx, PERIOD, this::write);
  }

  /** Fails unless the last records were acknowledged; waits for the first ones. */
  public Future<Void> ask() {
    if (isLate()) {
      return Future.failedFuture(
          new TimeoutException(
              "records are not acknowledged for "
                  + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - pendingSinceNanos)
                  + " s"));
    }
    Throwable last = failure;
    return last == null ? first.future() : Future.failedFuture(last);
  }

  private boolean isLate() {
    return pending && System.nanoTime() - pendingSinceNanos > ACKNOWLEDGED_WITHIN.toNanos();
  }

  /** Waits for the write in progress, which runs on threads of Vert.x. */
  public Future<Void> close() {
    writing.close();
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
        .eventually(() -> current.timeout(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS))
        .mapEmpty();
  }

  private Future<?> write() {
    Future<?> begun = begun();
    current = begun;
    return begun;
  }

  private Future<?> begun() {
    if (!pending) {
      pendingSinceNanos = System.nanoTime();
      pending = true;
    } else {
      // The topic may be gone, with all of Kafka's data.
      return isLate() ? ensure().otherwiseEmpty() : Future.succeededFuture();
    }
    return (ensured ? Future.succeededFuture() : ensure())
        .compose(exists -> vertx.executeBlocking(this::send, false))
        .onFailure(this::failed);
  }

  private Future<Void> ensure() {
    return TopicAdmin.create(vertx, settings, List.of(NeededTopic.disposable(topic)))
        .compose(created -> TopicAdmin.partitionsOnceKnown(vertx, settings, topic))
        .onSuccess(count -> ensured = true)
        .mapEmpty();
  }

  /** May block for lack of metadata. */
  private @Nullable Void send() {
    Producer<String, Buffer> open = opened();
    Collection<PartitionInfo> samples = samples(open.partitionsFor(topic));
    AtomicInteger missing = new AtomicInteger(samples.size());
    for (PartitionInfo sample : samples) {
      var unused =
          open.send(
              new ProducerRecord<>(topic, sample.partition(), null, Buffer.buffer()),
              (metadata, failed) -> {
                if (failed != null) {
                  failed(failed);
                } else if (missing.decrementAndGet() == 0) {
                  acknowledged();
                }
              });
    }
    return null;
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

  private void acknowledged() {
    failure = null;
    pending = false;
    first.tryComplete();
  }

  private void failed(Throwable cause) {
    failure = cause;
    ensured = false;
    pending = false;
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
