package io.egress.dispatcher.supervise;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits until PostgreSQL and Kafka both answer. */
public final class BackendWait {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Supplier<Future<?>> database;
  private final Supplier<Future<?>> kafka;

  /** The suppliers query the backend, and fail without an answer. */
  public BackendWait(Vertx vertx, Supplier<Future<?>> database, Supplier<Future<?>> kafka) {
    this.vertx = vertx;
    this.database = database;
    this.kafka = kafka;
  }

  /** Repeats until both answer, or until {@code stopped}. Never fails. */
  public Future<Void> awaitAnswer(BooleanSupplier stopped) {
    Promise<Void> answered = Promise.promise();
    ask(answered, stopped);
    return answered.future();
  }

  private void ask(Promise<Void> answered, BooleanSupplier stopped) {
    if (stopped.getAsBoolean()) {
      answered.complete();
      return;
    }
    Future.join(inTime(database), inTime(kafka))
        .onSuccess(_ -> answered.complete())
        .onFailure(_ -> vertx.setTimer(PERIOD.toMillis(), _ -> ask(answered, stopped)));
  }

  private static Future<?> inTime(Supplier<Future<?>> question) {
    try {
      return question.get().timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RuntimeException failure) {
      return Future.failedFuture(failure);
    }
  }
}
