package io.egress.dispatcher.supervise;

import io.egress.platform.outage.Probe;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until PostgreSQL and Kafka both answer. */
public final class BackendWait {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final Probe database;
  private final Probe kafka;

  public BackendWait(Vertx vertx, Probe database, Probe kafka) {
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
    Future.join(database.answer(ANSWER_MAX), kafka.answer(ANSWER_MAX))
        .onSuccess(_ -> answered.complete())
        .onFailure(_ -> vertx.setTimer(PERIOD.toMillis(), _ -> ask(answered, stopped)));
  }
}
