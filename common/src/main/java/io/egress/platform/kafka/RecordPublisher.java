package io.egress.platform.kafka;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Publishes batches of records. The Vert.x producer needs two thread hops per record, this class
 * two per batch. {@code send} may block, so it does not run on an event loop.
 */
public final class RecordPublisher {
  /**
   * A record to publish; its key selects the partition.
   *
   * @param traceparent null if not traced
   */
  public record Message(String topic, String key, Buffer value, @Nullable String traceparent) {
    /** A record that is not traced. */
    public Message(String topic, String key, Buffer value) {
      this(topic, key, value, null);
    }
  }

  private final Vertx vertx;
  private final KafkaProducer<String, Buffer> client;
  private final Producer<String, Buffer> producer;
  private final Clock clock;
  private final WorkerExecutor sending;

  /**
   * {@code clock} dates records of topics that the service has not created, or that are of 1.0.0:
   * brokers refuse those of clocks that are far ahead. In others, brokers do.
   */
  public RecordPublisher(Vertx vertx, KafkaProducer<String, Buffer> client, Clock clock) {
    this.clock = clock;
    this.vertx = vertx;
    this.client = client;
    this.producer = client.unwrap();
    this.sending = vertx.createSharedWorkerExecutor("egress-publish", 2);
  }

  /** Completes once every record is acknowledged; fails if one was not, even if others were. */
  public Future<Void> publish(List<Message> messages) {
    if (messages.isEmpty()) {
      return Future.succeededFuture();
    }
    Acknowledgements acknowledgements =
        new Acknowledgements(vertx.getOrCreateContext(), messages.size());
    sending
        .executeBlocking(
            () -> {
              for (Message message : messages) {
                send(message, acknowledgements);
                acknowledgements.stopAtFailure();
              }
              return null;
            },
            false)
        .onFailure(acknowledgements::refused);
    return acknowledgements.all.future();
  }

  public Future<Void> close() {
    return client.close();
  }

  private void send(Message message, Acknowledgements acknowledgements) {
    ProducerRecord<String, Buffer> record =
        new ProducerRecord<>(message.topic(), null, clock.millis(), message.key(), message.value());
    if (message.traceparent() != null) {
      TraceHeader.add(record, message.traceparent());
    }
    var _ = producer.send(record, (_, failure) -> acknowledgements.count(failure));
  }

  private static final class Acknowledgements {
    private final Promise<Void> all = Promise.promise();
    private final Context context;
    private final AtomicInteger missing;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Acknowledgements(Context context, int expected) {
      this.context = context;
      this.missing = new AtomicInteger(expected);
    }

    private void count(@Nullable Throwable failed) {
      if (failed != null) {
        failure.compareAndSet(null, failed);
      }
      if (missing.decrementAndGet() == 0) {
        Throwable first = failure.get();
        context.runOnContext(_ -> {
          if (first == null) {
            all.tryComplete();
          } else {
            all.tryFail(first);
          }
        });
      }
    }

    /** Without brokers every {@code send} would block until its timeout, one after the other. */
    private void stopAtFailure() {
      Throwable first = failure.get();
      if (first != null) {
        throw new IllegalStateException("the records were not all sent", first);
      }
    }

    /** The remaining records were not passed to the client. */
    private void refused(Throwable cause) {
      context.runOnContext(_ -> all.tryFail(cause));
    }
  }
}
