package io.egress.platform.backend;

import io.egress.platform.database.Database;
import io.egress.platform.database.DatabaseClock;
import io.egress.platform.database.Unavailability;
import io.egress.platform.kafka.Brokers;
import io.egress.platform.kafka.KafkaSettings;
import io.egress.platform.kafka.WriteProbe;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.outage.BackendWatch;
import io.egress.platform.outage.Probe;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.RetriableException;

/**
 * Checks periodically whether PostgreSQL and Kafka take writes, with connections of its own. A
 * database that takes none may still be readable.
 */
public final class BackendProbes {
  /** Connections to the database: one that writes may hang while another one reads. */
  public static final int CONNECTIONS = 2;

  private static final Duration READS_APART = Duration.ofSeconds(1);
  private static final Duration WRITES_APART = Duration.ofSeconds(3);
  private static final Duration DATABASE_ANSWERS_WITHIN = Duration.ofSeconds(4);
  private static final Duration KAFKA_ANSWERS_WITHIN = Duration.ofMillis(2_500);
  private static final double MILLIS_PER_SECOND = 1_000;

  /**
   * Writes to the log of the database and waits for the commit, for which a synchronous standby may
   * be needed. No table is involved, so nothing has to be cleaned up.
   */
  private static final String WRITE =
      """
      do $$ begin
        if current_setting('transaction_read_only')::boolean then
          raise 'the server is a standby or read-only' using errcode = 'read_only_sql_transaction';
        end if;
        perform pg_logical_emit_message(true, 'egress', '');
      end $$
      """;

  private static final String READ = "select clock_timestamp()";

  private final Pool writing;
  private final Pool reading;
  private final DatabaseClock clock;
  private final HostClock host = new HostClock();
  private final Brokers brokers;
  private final WriteProbe records;
  private final BackendWatch watch;
  private final BackendWatch kafka;
  private volatile boolean readable;
  private boolean writable;
  private long writtenNanos;

  private BackendProbes(
      Vertx vertx, Database database, KafkaSettings settings, Metrics metrics, String role) {
    writing = database.pool(role + "_write_probe", 1);
    reading = database.pool(role + "_probe", 1);
    clock = database.clock();
    brokers = new Brokers(vertx, settings);
    records = new WriteProbe(vertx, settings, clock);
    watch =
        BackendWatch.start(
            vertx,
            "PostgreSQL",
            role,
            READS_APART,
            DATABASE_ANSWERS_WITHIN,
            this::checkDatabase,
            Unavailability::isCauseOf);
    kafka =
        BackendWatch.start(
            vertx,
            "Kafka",
            role,
            WRITES_APART,
            KAFKA_ANSWERS_WITHIN,
            records,
            failure ->
                failure instanceof RetriableException || failure instanceof TimeoutException);
    metrics.gauge(
        "egress_host_clock_ahead_seconds",
        "how far the clock of the process's host is ahead of PostgreSQL's",
        () -> clock.hostAhead().toMillis() / MILLIS_PER_SECOND,
        "role",
        role);
    gauge(metrics, role, "database", watch);
    gauge(metrics, role, "kafka", kafka);
  }

  /** {@code role} is the label in metrics and in the log. */
  public static BackendProbes open(
      Vertx vertx, Database database, KafkaSettings kafka, Metrics metrics, String role) {
    return new BackendProbes(vertx, database, kafka, metrics, role);
  }

  /** For probes that read no table: whoever locks one must not hold up the other probes. */
  public Pool reading() {
    return reading;
  }

  public Brokers brokers() {
    return brokers;
  }

  /** Completes once it is known for the first time whether PostgreSQL is up. */
  public Future<Void> databaseAsked() {
    return watch.firstProbe();
  }

  /** The state of PostgreSQL as of the last probe. */
  public DatabaseState database() {
    if (watch.isUp()) {
      return DatabaseState.WRITABLE;
    }
    return readable ? DatabaseState.READ_ONLY : DatabaseState.UNAVAILABLE;
  }

  public boolean databaseUp() {
    return watch.isUp();
  }

  /** Whether Kafka took records at the last probe. */
  public boolean kafkaUp() {
    return kafka.isUp();
  }

  /** Whether Kafka took no records at the last probe; false before the first one is answered. */
  public boolean isKafkaAway() {
    return kafka.firstProbe().isComplete() && !kafka.isUp();
  }

  /** Fails if PostgreSQL does not take writes. */
  public Probe databaseWrites() {
    return _ -> askToWrite();
  }

  /** Fails if Kafka takes no records. */
  public Probe kafkaWrites() {
    return records;
  }

  public Future<Void> close() {
    watch.close();
    kafka.close();
    return records
        .close()
        .eventually(brokers::close)
        .eventually(writing::close)
        .eventually(reading::close);
  }

  /**
   * A server that is frozen is noticed by reading, which costs it nothing and is to be quick: half
   * of the time is left for writing.
   */
  private Future<?> checkDatabase(Duration within) {
    long sent = System.nanoTime();
    return reading
        .query(READ)
        .execute()
        .onSuccess(answer -> readClock(answer.iterator().next(), sent))
        .timeout(within.dividedBy(2).toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(
            read -> readable = read.succeeded() || Unavailability.isOnlyOfWrites(read.cause()))
        .compose(_ -> isWritten() ? Future.succeededFuture() : write());
  }

  private void readClock(Row answer, long sentNanos) {
    clock.read(answer.getOffsetDateTime(0).toInstant(), sentNanos);
    host.isAhead(clock.hostAhead());
  }

  private boolean isWritten() {
    return writable && System.nanoTime() - writtenNanos < WRITES_APART.toNanos();
  }

  private Future<?> write() {
    writable = false;
    return askToWrite()
        .onSuccess(_ -> {
          writable = true;
          writtenNanos = System.nanoTime();
        });
  }

  private Future<?> askToWrite() {
    return writing.query(WRITE).execute();
  }

  private static void gauge(Metrics metrics, String role, String backend, BackendWatch watch) {
    metrics.gauge(
        "egress_backend_up",
        "1 when the backend answers, 0 when it does not",
        () -> watch.isUp() ? 1 : 0,
        "backend",
        backend,
        "role",
        role);
  }
}
