package io.egress.dispatcher.fanout;

import static java.util.Objects.requireNonNull;

import io.egress.endpoint.EndpointStore;
import io.egress.kafka.ProcessedCapture;
import io.egress.kafka.RecordPublisher;
import io.egress.kafka.Topics;
import io.egress.metrics.Metrics;
import io.egress.outage.Outage;
import io.egress.settings.KafkaSettings;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the captures that entered the stream and owes them to endpoints, one batch after the other:
 * the next is not read before the deliveries of the last are acknowledged. That order is what a
 * thread is good for, so this has one of its own. It never stops polling, however long a batch may
 * take: its partitions are paused meanwhile.
 */
public final class FanOutLoop {
  private static final Logger log = LoggerFactory.getLogger(FanOutLoop.class);

  private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);
  private static final Duration STILL_THERE_PERIOD = Duration.ofSeconds(1);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  private final Vertx vertx;
  private final Context context;
  private final FanOut fanOut;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final FanOutOffsets offsets;
  private final String topic;
  private final Promise<Void> ended = Promise.promise();
  private volatile boolean stopping;
  private volatile long lastPollNanos = System.nanoTime();
  private final Outage reading =
      new Outage(log, "the fan-out cannot read for now, will try on", "the fan-out reads again");
  private final Outage owing =
      new Outage(
          log, "deliveries cannot be made for now, will try on", "deliveries are being made again");

  private FanOutLoop(Vertx vertx, FanOut fanOut, KafkaSettings settings, Topics topics) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.fanOut = fanOut;
    this.topic = topics.capturesProcessed();
    this.consumer = new KafkaConsumer<>(FanOutConfig.of(settings, topics.fanOutGroup()));
    this.offsets = new FanOutOffsets(consumer);
  }

  public static FanOutLoop start(
      Vertx vertx, Pool pool, RecordPublisher publisher, KafkaSettings settings, Metrics metrics) {
    requireNonNull(pool, "pool is null");
    Topics topics = new Topics(settings.topicPrefix());
    FanOut fanOut =
        new FanOut(new EndpointStore(pool), publisher, topics, new FanOutMeters(metrics));
    FanOutLoop loop = new FanOutLoop(vertx, fanOut, settings, topics);
    new Thread(loop::run, "egress-fanout").start();
    return loop;
  }

  /** To be asked from any thread: a consumer that no longer polls reads nothing. */
  public Duration sinceLastPoll() {
    return Duration.ofNanos(System.nanoTime() - lastPollNanos);
  }

  /** Completes once the batch under way has ended. */
  public Future<Void> close() {
    stopping = true;
    consumer.wakeup();
    return ended.future();
  }

  private void run() {
    try (consumer) {
      consumer.subscribe(Set.of(topic), offsets);
      rounds();
      offsets.commitAll();
    } finally {
      ended.complete();
    }
  }

  private void rounds() {
    try {
      while (!stopping) {
        round();
      }
    } catch (WakeupException stopped) {
      log.debug("woken up to stop");
    }
  }

  private void round() {
    try {
      ConsumerRecords<byte[], byte[]> records = poll(POLL_TIMEOUT);
      if (!records.isEmpty()) {
        await(owed(decode(records)));
        offsets.reached(records.nextOffsets());
      }
      offsets.commitNowAndThen();
      reading.worked();
    } catch (WakeupException woken) {
      throw woken;
    } catch (KafkaException failure) {
      reading.failed(failure);
      pause();
    }
  }

  /** Some failures come at once, again and again. */
  private void pause() {
    try {
      vertx
          .timer(PAUSE_AFTER_FAILURE.toMillis(), TimeUnit.MILLISECONDS)
          .await(STILL_THERE_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      log.debug("the pause took long");
    }
  }

  private ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    lastPollNanos = System.nanoTime();
    return consumer.poll(timeout);
  }

  /** Tried on until it succeeds or the loop is to stop. */
  private Future<Void> owed(List<ProcessedCapture> captures) {
    Promise<Void> owed = Promise.promise();
    context.runOnContext(now -> attempt(captures, owed));
    return owed.future();
  }

  private void attempt(List<ProcessedCapture> captures, Promise<Void> owed) {
    fanOut
        .owe(captures)
        .onSuccess(
            done -> {
              owing.worked();
              owed.complete();
            })
        .onFailure(
            failure -> {
              owing.failed(failure);
              if (stopping) {
                owed.fail(failure);
              } else {
                vertx.setTimer(PAUSE_AFTER_FAILURE.toMillis(), timer -> attempt(captures, owed));
              }
            });
  }

  private void await(Future<Void> owed) {
    while (true) {
      try {
        owed.await(STILL_THERE_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        consumer.resume(consumer.paused());
        return;
      } catch (TimeoutException late) {
        consumer.pause(consumer.assignment());
        poll(Duration.ZERO);
      } catch (RuntimeException stopped) {
        throw new WakeupException();
      }
    }
  }

  private static List<ProcessedCapture> decode(ConsumerRecords<byte[], byte[]> records) {
    List<ProcessedCapture> captures = new ArrayList<>(records.count());
    for (ConsumerRecord<byte[], byte[]> record : records) {
      try {
        captures.add(ProcessedCapture.decode(Buffer.buffer(record.value())));
      } catch (RuntimeException unreadable) {
        log.error(
            "passed over the record at offset {} of {}-{}, which is no capture: {}",
            record.offset(),
            record.topic(),
            record.partition(),
            unreadable.toString());
      }
    }
    return captures;
  }
}
