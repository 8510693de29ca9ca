package io.egress.bench.torture;

import io.egress.bench.age.AgedData;
import io.egress.bench.torture.Faults.Action;
import io.egress.bench.torture.Faults.Fault;
import io.egress.embedded.PostgresServer;
import io.egress.testing.BrokerCluster;
import io.egress.testing.PgBouncer;
import io.egress.testing.TcpProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL primary with a synchronous standby, from which the api reads pages, and three
 * brokers. The links to the database lead to the primary; a failover leads new connections to the
 * promoted standby and does not end the others. Where PgBouncer is installed, every second process
 * reaches the primary through it.
 */
final class ReplicatedBackends implements FleetBackends {
  private static final int BROKERS = 3;
  private static final String SYNCHRONOUS = "synchronous_standby_names = '*'";

  /** What the api calls it in its readiness. */
  private static final String STANDBY = "standby";

  private static final String READ_ONLY = "default_transaction_read_only";

  /** A failover and a quorum's election take time of their own. */
  private static final Duration FAILOVER_MAX = Duration.ofSeconds(25);

  /** All records are lost: what is owed is published again. */
  private static final Duration REBUILD_MAX = Duration.ofSeconds(60);

  private static final long HELD_SECONDS = 8;

  private static final String READ_LAG = "2s";

  private static final int POOLED_CONNECTIONS = 12;

  private final Path folder;
  private final BrokerCluster brokers;
  private PostgresServer primary;
  private PostgresServer standby;
  private final TcpProxy link;
  private final TcpProxy readLink;
  private final Optional<PgBouncer> pooler;
  private final List<Link> direct = new ArrayList<>();
  private int processes;
  private int servers;

  private ReplicatedBackends(Path folder, @Nullable AgedData aged) throws IOException {
    this.folder = folder;
    this.primary = FleetBackends.startPostgres(next(), aged);
    this.standby = PostgresServer.startStandby(next(), primary);
    primary.alter("set " + SYNCHRONOUS);
    this.brokers =
        BrokerCluster.start(
            folder.resolve("kafka"), BROKERS, Map.of("default.replication.factor", "3"));
    this.link = TcpProxy.open(primary.port());
    this.readLink = TcpProxy.open(standby.port());
    this.pooler =
        PgBouncer.isInstalled()
            ? Optional.of(
                PgBouncer.start(
                    folder.resolve("pgbouncer"), link.url(databaseUrl()), POOLED_CONNECTIONS))
            : Optional.empty();
    limitTransactions();
  }

  static ReplicatedBackends start(Path folder, @Nullable AgedData aged) throws IOException {
    return new ReplicatedBackends(folder, aged);
  }

  private Path next() {
    return folder.resolve("postgres-" + ++servers);
  }

  @Override
  public String databaseUrl() {
    return primary.databaseUrl();
  }

  @Override
  public Map<String, String> addresses(Link database, Link kafka) {
    Map<String, String> addresses = new HashMap<>();
    addresses.put("EGRESS_KAFKA_BOOTSTRAP", brokers.bootstrap());
    boolean pooled = ++processes % 2 == 0 && pooler.isPresent();
    int port = pooled ? pooler.orElseThrow().port() : primary.port();
    String url = pooled ? pooler.orElseThrow().url() : databaseUrl();
    database.leadTo(port);
    addresses.put(
        "EGRESS_DATABASE_URL", url.replace(":" + port + "/", ":" + database.port() + "/"));
    if (pooled) {
      addresses.put("EGRESS_DATABASE_POOLER", "transaction");
    } else {
      direct.add(database);
    }
    return addresses;
  }

  @Override
  public void lead(List<Role> all) {
    // The links lead to their backends from the beginning.
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "EGRESS_DATABASE_READ_URL",
        readLink.url(standby.databaseUrl()),
        "EGRESS_DATABASE_READ_LAG",
        READ_LAG);
  }

  @Override
  public boolean hasKafkaLinks() {
    return false;
  }

  @Override
  public List<Fault> faults(Fleet fleet, Random random, Duration recoveryMax) {
    Duration max = recoveryMax.plus(FAILOVER_MAX);
    int broker = random.nextInt(BROKERS);
    List<Fault> faults = new ArrayList<>();
    faults.add(
        new Fault(
            "primary kill -9, standby promoted",
            max,
            readingAgain(fleet, recoveryMax, this::failOver)));
    faults.add(
        new Fault(
            "primary demoted, its sessions stay",
            max,
            readingAgain(fleet, recoveryMax, this::switchOver)));
    faults.add(
        new Fault(
            "standby promoted by mistake",
            recoveryMax,
            readingAgain(fleet, recoveryMax, this::promoteByMistake)));
    faults.add(
        new Fault(
            "standby held back",
            recoveryMax,
            unhealthy(
                fleet.apis(),
                recoveryMax,
                STANDBY,
                () -> standby.query("select pg_wal_replay_pause()"),
                () -> standby.query("select pg_wal_replay_resume()"))));
    faults.add(
        new Fault(
            "standby silent to readers",
            recoveryMax,
            unhealthy(fleet.apis(), recoveryMax, STANDBY, readLink::stall, readLink::resume)));
    faults.add(
        new Fault(
            "PostgreSQL read-only",
            max,
            unhealthy(
                fleet.roles(),
                recoveryMax,
                "database",
                () -> primary.alter("set " + READ_ONLY + " = on"),
                () -> primary.alter("reset " + READ_ONLY))));
    faults.add(
        new Fault(
            "commits hang, the standby is gone",
            max,
            unhealthy(
                fleet.roles(),
                recoveryMax,
                "database",
                () -> standby.kill(),
                () -> standby.start())));
    faults.add(
        new Fault(
            "broker " + broker + " kill -9",
            max,
            () -> {
              brokers.kill(broker);
              hold();
              brokers.start(broker);
            }));
    faults.add(new Fault("broker " + broker + " loses its disk", max, () -> wipe(broker)));
    faults.add(
        new Fault(
            "two brokers kill -9",
            max.plus(FAILOVER_MAX),
            unhealthy(
                fleet.roles(),
                recoveryMax,
                "kafka",
                () -> others(broker, false),
                () -> others(broker, true))));
    faults.add(new Fault("Kafka loses everything", max.plus(REBUILD_MAX), this::loseAllRecords));
    faults.add(new Fault("rolling restart of the brokers", max, this::restartBrokers));
    pooler.ifPresent(pgbouncer ->
        faults.add(
            new Fault(
                "PgBouncer kill -9",
                recoveryMax,
                () -> {
                  pgbouncer.kill();
                  TimeUnit.SECONDS.sleep(2);
                  pgbouncer.restart();
                })));
    return faults;
  }

  /** Health has to notice both the beginning and the end, within {@code max}. */
  private static Action unhealthy(
      List<Role> roles, Duration max, String backend, Runnable begin, Runnable end) {
    return () -> {
      begin.run();
      try {
        requireHealth(roles, max, backend, false);
        hold();
      } finally {
        end.run();
      }
      requireHealth(roles, max, backend, true);
    };
  }

  /** Pages have to come from the new standby within {@code max}. */
  private static Action readingAgain(Fleet fleet, Duration max, Action fault) {
    return () -> {
      fault.run();
      requireHealth(fleet.apis(), max, STANDBY, true);
    };
  }

  private static void requireHealth(List<Role> roles, Duration max, String backend, boolean up)
      throws InterruptedException {
    List<String> wrong = Fleet.without(roles, backend, up, max).stream().map(Role::name).toList();
    if (!wrong.isEmpty()) {
      throw new BrokenPromiseException(
          "%s did not report within %d s that %s is %s"
              .formatted(wrong, max.toSeconds(), backend, up ? "up" : "not up"));
    }
  }

  private void failOver() throws Exception {
    primary.kill();
    TimeUnit.SECONDS.sleep(1);
    promote().discard();
  }

  /** As a managed service does it: nothing that was acknowledged is lost. */
  private void switchOver() throws Exception {
    primary.alter("set " + READ_ONLY + " = on");
    TimeUnit.SECONDS.sleep(1);
    PostgresServer former = promote();
    hold();
    former.discard();
  }

  /** Returns the former primary. A new standby follows the promoted server. */
  private PostgresServer promote() {
    PostgresServer former = primary;
    standby.query("select pg_promote()");
    primary = standby;
    primary.alter("reset synchronous_standby_names");
    primary.alter("reset " + READ_ONLY);
    link.leadTo(primary.port());
    direct.forEach(database -> database.leadTo(primary.port()));
    followPrimary();
    return former;
  }

  /** The promoted server takes no writes, but readers stay connected to it. */
  private void promoteByMistake() throws Exception {
    PostgresServer promoted = standby;
    primary.alter("reset synchronous_standby_names");
    promoted.query("select pg_promote()");
    hold();
    followPrimary();
    promoted.discard();
  }

  /** Starts a standby. Readers that are connected to the former one stay so. */
  private void followPrimary() {
    standby = PostgresServer.startStandby(next(), primary);
    readLink.leadTo(standby.port());
    primary.alter("set " + SYNCHRONOUS);
  }

  /** The pooler's sessions take their limits from the role. */
  private void limitTransactions() {
    Map.of(
            "statement_timeout", "30s",
            "lock_timeout", "15s",
            "idle_in_transaction_session_timeout", "10s",
            "transaction_timeout", "1min")
        .forEach((limit, value) ->
            primary.query("alter role current_user set %s = '%s'".formatted(limit, value)));
  }

  private void wipe(int broker) throws InterruptedException {
    brokers.kill(broker);
    brokers.wipe(broker);
    hold();
    brokers.start(broker);
  }

  private void others(int broker, boolean start) {
    IntStream.range(0, BROKERS)
        .filter(other -> other != broker)
        .forEach(other -> {
          if (start) {
            brokers.launch(other);
          } else {
            brokers.kill(other);
          }
        });
    if (start) {
      brokers.awaitWritable();
    }
  }

  private void loseAllRecords() throws InterruptedException {
    for (int i = 0; i < BROKERS; i++) {
      brokers.kill(i);
      brokers.wipe(i);
    }
    TimeUnit.SECONDS.sleep(1);
    for (int i = 0; i < BROKERS; i++) {
      brokers.launch(i);
    }
    brokers.awaitAll();
  }

  private void restartBrokers() throws InterruptedException {
    for (int i = 0; i < BROKERS; i++) {
      brokers.terminate(i);
      brokers.start(i);
      TimeUnit.SECONDS.sleep(2);
    }
  }

  private static void hold() throws InterruptedException {
    TimeUnit.SECONDS.sleep(HELD_SECONDS);
  }

  @Override
  public void close() {
    pooler.ifPresent(PgBouncer::close);
    readLink.close();
    link.close();
    brokers.close();
    standby.close();
    primary.close();
  }
}
