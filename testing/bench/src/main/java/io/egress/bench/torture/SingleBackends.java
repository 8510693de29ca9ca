package io.egress.bench.torture;

import static java.util.Objects.requireNonNull;

import com.sun.management.OperatingSystemMXBean;
import io.egress.bench.age.AgedData;
import io.egress.bench.torture.Faults.Action;
import io.egress.bench.torture.Faults.Fault;
import io.egress.embedded.BrokerListener;
import io.egress.embedded.Durability;
import io.egress.embedded.KafkaBroker;
import io.egress.embedded.PostgresServer;
import io.egress.standalone.run.ServiceJvm;
import io.egress.testing.SmallDisk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One PostgreSQL server, on a small disk if this process may mount one, and one broker. */
final class SingleBackends implements FleetBackends {
  private static final int DISK_MEGABYTES = 1_200;

  /** A restarted backend recovers itself before the service can. */
  private static final Duration BACKEND_RECOVERY_MAX = Duration.ofSeconds(25);

  private final Path folder;
  private final Optional<SmallDisk> disk;
  private final PostgresServer postgres;
  private @Nullable KafkaBroker broker;

  private SingleBackends(Path folder, @Nullable AgedData aged) throws IOException {
    this.folder = folder;
    Path mounted = Files.createDirectories(folder.resolve("postgres"));
    this.disk = mount(mounted, aged == null ? 0 : aged.megabytes());
    this.postgres = FleetBackends.startPostgres(mounted.resolve("server"), aged);
  }

  static SingleBackends start(Path folder, @Nullable AgedData aged) throws IOException {
    return new SingleBackends(folder, aged);
  }

  /** The disk is in memory, of which others need their part, too. */
  private static Optional<SmallDisk> mount(Path folder, long agedMegabytes) {
    long megabytes = DISK_MEGABYTES + agedMegabytes;
    boolean fits =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
            && megabytes < (machine.getTotalMemorySize() >> 20) / 2;
    return fits ? SmallDisk.mount(folder, (int) megabytes) : Optional.empty();
  }

  @Override
  public String databaseUrl() {
    return postgres.databaseUrl();
  }

  @Override
  public Map<String, String> addresses(Link database, Link kafka) {
    int port = postgres.port();
    database.leadTo(port);
    return Map.of(
        "EGRESS_DATABASE_URL",
        databaseUrl().replace(":" + port + "/", ":" + database.port() + "/"),
        "EGRESS_KAFKA_BOOTSTRAP",
        "127.0.0.1:" + kafka.port());
  }

  /** The broker has a listener for each link, which advertises the link's port. */
  @Override
  public void lead(List<Role> roles) {
    List<BrokerListener> listeners =
        roles.stream()
            .map(role -> role.kafka.port())
            .map(port -> new BrokerListener("PROXY" + port, "PLAINTEXT", Map.of(), port))
            .toList();
    KafkaBroker started =
        KafkaBroker.start(
            folder.resolve("kafka"), Durability.UNSYNCED, listeners, ServiceJvm.broker());
    broker = started;
    for (int i = 0; i < listeners.size(); i++) {
      String address = started.bootstrap(listeners.get(i).name());
      roles.get(i).kafka.leadTo(Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }
  }

  @Override
  public Map<String, String> settings() {
    return Map.of();
  }

  @Override
  public boolean hasKafkaLinks() {
    return true;
  }

  @Override
  public List<Fault> faults(Fleet fleet, Random random, Duration recoveryMax) {
    Duration max = recoveryMax.plus(BACKEND_RECOVERY_MAX);
    List<Fault> faults = new ArrayList<>();
    faults.add(new Fault("PostgreSQL restarted", max, cycle(postgres::stop, postgres::start)));
    faults.add(new Fault("PostgreSQL kill -9", max, cycle(postgres::kill, postgres::start)));
    faults.add(new Fault("Kafka restarted", max, cycle(broker()::stop, broker()::start)));
    faults.add(new Fault("Kafka kill -9", max, cycle(broker()::kill, broker()::start)));
    disk.ifPresent(small -> faults.add(new Fault("disk full", max, () -> fill(small))));
    return faults;
  }

  private Action cycle(Runnable down, Runnable up) {
    return () -> {
      down.run();
      TimeUnit.SECONDS.sleep(2);
      up.run();
    };
  }

  private void fill(SmallDisk small) throws Exception {
    small.fill();
    TimeUnit.SECONDS.sleep(4);
    small.free();
    postgres.start();
  }

  private KafkaBroker broker() {
    return requireNonNull(broker, "the broker is not started");
  }

  @Override
  public void close() {
    if (broker != null) {
      broker.close();
    }
    postgres.close();
    disk.ifPresent(SmallDisk::close);
  }
}
