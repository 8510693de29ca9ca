package io.egress.dispatcher.fanout;

import static java.util.Objects.requireNonNull;

import io.egress.dispatcher.supervise.Backends;
import io.egress.dispatcher.supervise.ClockWatch;
import io.egress.dispatcher.supervise.Restarts;
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
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the captures that entered the stream and owes them to endpoints, one batch after the other:
 * the next is not read before the deliveries of the last are acknowledged. That order is what a
 * thread is good for, so this has one of its own. It never stops polling, however long a batch may
 * take: its partitions are paused meanwhile.
 *
 * <p>A session lasts from joining the group to leaving it. Whatever goes wrong in one ends it, and
 * the next reads again from the last commit.
 */
public final class FanOutLoop {
  private static final Logger log = LoggerFactory.getLogger(FanOutLoop.class);

  private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);
  private static final Duration STILL_THERE_PERIOD = Duration.ofSeconds(1);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration LEAVE_MAX = Duration.ofSeconds(5);
  private static final Duration CLOCK_PERIOD = Duration.ofSeconds(1);

  /** What a loop depends on, and how long it does without before it leaves its partitions. */
  public record Parts(
      Pool pool,
      RecordPublisher publisher,
      Metrics metrics,
      Backends backends,
      Duration stallTimeout) {
    public Parts {
      requireNonNull(pool, "pool is null");
      requireNonNull(publisher, "publisher is null");
      requireNonNull(metrics, "metrics is null");
      requireNonNull(backends, "backends is null");
      requireNonNull(stallTimeout, "stallTimeout is null");
    }
  }

  private final Vertx vertx;
  private final Context context;
  private final FanOut fanOut;
  private final KafkaSettings settings;
  private final Topics topics;
  private final Backends backends;
  private final Restarts restarts;
  private final Duration stallTimeout;
  private final Thread thread;
  private final Promise<Void> ended = Promise.promise();
  private final ClockWatch clock = new ClockWatch();
  private final long clockTimer;
  private volatile boolean stopping;
  private volatile Duration clockStep = Duration.ZERO;
  private volatile @Nullable KafkaConsumer<?, ?> consuming;
  private volatile long lastPollNanos = System.nanoTime();
  private final Outage owing =
      new Outage(
          log, "deliveries cannot be made for now, will try on", "deliveries are being made again");

  private FanOutLoop(Vertx vertx, Parts parts, KafkaSettings settings, Topics topics) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.settings = settings;
    this.topics = topics;
    this.fanOut =
        new FanOut(
            new EndpointStore(parts.pool()),
            parts.publisher(),
            topics,
            new FanOutMeters(parts.metrics()));
    this.backends = parts.backends();
    this.restarts = new Restarts(parts.metrics(), "fan_out");
    this.stallTimeout = parts.stallTimeout();
    this.thread = new Thread(this::run, topics.fanOutGroup());
    this.clockTimer = vertx.setPeriodic(CLOCK_PERIOD.toMillis(), tick -> lookAtClock());
  }

  public static FanOutLoop start(Vertx vertx, Parts parts, KafkaSettings settings) {
    FanOutLoop loop = new FanOutLoop(vertx, parts, settings, new Topics(settings.topicPrefix()));
    loop.thread.start();
    return loop;
  }

  /** To be asked from any thread: a consumer that no longer polls reads nothing. */
  public Duration sinceLastPoll() {
    return Duration.ofNanos(System.nanoTime() - lastPollNanos);
  }

  /** Completes once the poll under way has returned and the offsets reached are committed. */
  public Future<Void> close() {
    stopping = true;
    vertx.cancelTimer(clockTimer);
    LockSupport.unpark(thread);
    wakeUp();
    return ended.future();
  }

  private void lookAtClock() {
    Duration step = clock.setBack();
    if (!step.isZero()) {
      clockStep = step;
      wakeUp();
    }
  }

  private void wakeUp() {
    KafkaConsumer<?, ?> reading = consuming;
    if (reading != null) {
      reading.wakeup();
    }
  }

  private void run() {
    try {
      while (!stopping) {
        pause(session());
      }
    } finally {
      ended.complete();
    }
  }

  /** Returns how long to wait before the next one. */
  private Duration session() {
    try (Session session = new Session()) {
      session.run();
      Duration step = clockStep;
      clockStep = Duration.ZERO;
      return step.isZero() ? Duration.ZERO : restarts.clockSetBack(step);
    } catch (StalledException stalled) {
      return awaitBackends(restarts.stalled(stallTimeout));
    } catch (Throwable failure) {
      return restarts.failed(failure);
    }
  }

  private Duration awaitBackends(Duration pause) {
    Future<Void> answer = backends.awaitAnswer(() -> stopping);
    while (!stopping && !answer.isComplete()) {
      pause(PAUSE_AFTER_FAILURE);
    }
    return pause;
  }

  /** Ends early when the loop is to stop. */
  private void pause(Duration pause) {
    long end = System.nanoTime() + pause.toNanos();
    while (!stopping && end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
      Thread.interrupted();
    }
  }

  /** Tried again until it succeeds or nobody waits for it any more. */
  private void attempt(List<ProcessedCapture> captures, Promise<Void> owed) {
    fanOut
        .owe(captures)
        .onSuccess(
            done -> {
              owing.worked();
              owed.tryComplete();
            })
        .onFailure(
            failure -> {
              owing.failed(failure);
              vertx.setTimer(
                  PAUSE_AFTER_FAILURE.toMillis(),
                  timer -> {
                    if (!owed.future().isComplete()) {
                      attempt(captures, owed);
                    }
                  });
            });
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

  /** One membership of the group. Used on the loop's thread. */
  private final class Session implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(FanOutConfig.of(settings, topics.fanOutGroup()));
    private final FanOutOffsets offsets = new FanOutOffsets(consumer);

    private void run() throws Exception {
      consuming = consumer;
      consumer.subscribe(Set.of(topics.capturesProcessed()), offsets);
      try {
        while (!stopping) {
          round();
        }
      } catch (WakeupException woken) {
        log.debug("woken up to stop or to start again");
      }
      offsets.commitAll();
    }

    private void round() throws Exception {
      ConsumerRecords<byte[], byte[]> records = poll(POLL_TIMEOUT);
      if (records.isEmpty() || owe(decode(records))) {
        offsets.reached(records.nextOffsets());
      }
      offsets.commitNowAndThen();
    }

    /** False when the loop is to stop before all is owed. */
    private boolean owe(List<ProcessedCapture> captures) throws Exception {
      long begun = System.nanoTime();
      Promise<Void> owed = Promise.promise();
      try {
        context.runOnContext(now -> attempt(captures, owed));
        while (!stopping) {
          try {
            owed.future().await(STILL_THERE_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
            consumer.resume(consumer.paused());
            return true;
          } catch (TimeoutException late) {
            stayInGroup();
          }
          if (System.nanoTime() - begun > stallTimeout.toNanos()) {
            throw new StalledException();
          }
        }
        return false;
      } finally {
        owed.tryFail("nobody waits for it any more");
      }
    }

    /** Partitions that come by a rebalance are not paused yet, but nothing is fetched of them. */
    private void stayInGroup() {
      consumer.pause(consumer.assignment());
      if (!poll(Duration.ZERO).isEmpty()) {
        throw new IllegalStateException("records were polled while a batch is under way");
      }
    }

    private ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      lastPollNanos = System.nanoTime();
      return consumer.poll(timeout);
    }

    /** An interrupt would keep the consumer from leaving its group. */
    @Override
    public void close() {
      Thread.interrupted();
      consuming = null;
      consumer.close(CloseOptions.timeout(LEAVE_MAX));
    }
  }

  /** The deliveries of a batch could not be published for too long. */
  private static final class StalledException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
