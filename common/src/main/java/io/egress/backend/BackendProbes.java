package io.egress.backend;

import io.egress.database.DatabasePool;
import io.egress.kafka.Brokers;
import io.egress.metrics.Metrics;
import io.egress.outage.BackendWatch;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;

/**
 * Checks whether PostgreSQL and Kafka answer, with connections of its own: periodically, for the
 * log and a gauge, and whenever health is requested.
 */
public final class BackendProbes {
  /** Connections to the database. */
  public static final int CONNECTIONS = 1;

  private final Pool database;
  private final Brokers brokers;
  private final BackendWatch databaseWatch;
  private final BackendWatch kafkaWatch;

  private BackendProbes(Vertx vertx, Settings settings, Metrics metrics, String role) {
    database = DatabasePool.open(vertx, settings.database(), role + "_probe", CONNECTIONS);
    brokers = new Brokers(vertx, settings.kafka());
    databaseWatch = BackendWatch.start(vertx, "PostgreSQL", this::askDatabase);
    kafkaWatch = BackendWatch.start(vertx, "Kafka", this::askKafka);
    gauge(metrics, role, "database", databaseWatch);
    gauge(metrics, role, "kafka", kafkaWatch);
  }

  /** {@code role} is the label in metrics. */
  public static BackendProbes open(Vertx vertx, Settings settings, Metrics metrics, String role) {
    return new BackendProbes(vertx, settings, metrics, role);
  }

  public Pool database() {
    return database;
  }

  public Brokers brokers() {
    return brokers;
  }

  /** Fails if PostgreSQL does not answer. */
  public Future<?> askDatabase() {
    return database.query("select 1").execute();
  }

  /** Fails if no broker answers. */
  public Future<?> askKafka() {
    return brokers.ping();
  }

  public Future<Void> close() {
    return databaseWatch
        .close()
        .eventually(kafkaWatch::close)
        .eventually(brokers::close)
        .eventually(database::close);
  }

  private static void gauge(Metrics metrics, String role, String backend, BackendWatch watch) {
    metrics.gauge(
        "egress_backend_up",
        "1 when the backend answers, 0 when it does not",
        watch::up,
        "backend",
        backend,
        "role",
        role);
  }
}
