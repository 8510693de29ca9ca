package io.egress.dispatcher;

import io.egress.database.DatabasePool;
import io.egress.database.Migrations;
import io.egress.dispatcher.reconcile.QueueRebuild;
import io.egress.kafka.KafkaClients;
import io.egress.kafka.RecordPublisher;
import io.egress.kafka.Topics;
import io.egress.lifecycle.RunningProcess;
import io.egress.settings.DatabaseSettings;
import io.egress.settings.Settings;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Creates missing topics, publishes everything that is owed and not finished, and exits. Configured
 * by its environment, like the dispatcher.
 */
public final class RebuildMain {
  private static final Duration PROGRESS_PERIOD = Duration.ofSeconds(5);
  private static final Duration STATEMENT_MAX = Duration.ofHours(6);

  /** One for the cursor and one for pages. */
  private static final int CONNECTIONS = 2;

  private RebuildMain() {}

  public static void main(String[] arguments) {
    RunningProcess.run(RebuildMain::run);
  }

  /** Returns when everything is published. */
  public static int run() {
    Settings settings = Settings.from(System.getenv());
    RunningProcess process = RunningProcess.begin();
    Vertx vertx = Vertx.vertx();
    process.pushAsync("Vert.x", vertx::close);
    RunningProcess.await(Migrations.run(vertx, settings.database().url()));
    RunningProcess.await(DeliveryTopics.ensure(vertx, settings));
    Pool pool = DatabasePool.open(vertx, patient(settings.database()), "rebuild", CONNECTIONS);
    process.pushAsync("the database pool", pool::close);
    RecordPublisher publisher =
        new RecordPublisher(vertx, KafkaClients.producer(vertx, settings.kafka()));
    process.pushAsync("the Kafka producer", publisher::close);
    rebuild(
        vertx,
        new QueueRebuild(
            pool,
            publisher,
            new Topics(settings.kafka().topicPrefix()),
            settings.dispatcher().retrySchedule(),
            settings.dispatcher().logRetention(),
            Clock.systemUTC()));
    return 0;
  }

  private static void rebuild(Vertx vertx, QueueRebuild rebuild) {
    Instant begun = Instant.now();
    long timer =
        vertx.setPeriodic(
            PROGRESS_PERIOD.toMillis(), tick -> System.out.println(line(rebuild.progress())));
    rebuild.run();
    vertx.cancelTimer(timer);
    System.out.printf(
        "%s, done in %d s%n",
        line(rebuild.progress()), Duration.between(begun, Instant.now()).toSeconds());
  }

  private static String line(QueueRebuild.Progress progress) {
    return "%d endpoints compared; published %d deliveries without an attempt, %d pending ones"
        .formatted(progress.endpoints(), progress.first(), progress.pending());
  }

  /** The client closes a connection that has not answered for the statement timeout. */
  private static DatabaseSettings patient(DatabaseSettings settings) {
    DatabaseSettings.Timeouts timeouts = settings.timeouts();
    return new DatabaseSettings(
        settings.url(),
        settings.poolSize(),
        settings.pooler(),
        new DatabaseSettings.Timeouts(
            STATEMENT_MAX, timeouts.lock(), timeouts.idleTransaction(), timeouts.transaction()));
  }
}
