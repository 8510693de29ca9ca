package io.egress.bench.torture;

import io.egress.bench.age.AgedCaptures;
import io.egress.bench.age.AgedData;
import io.egress.bench.torture.Faults.Fault;
import io.egress.platform.environment.Durations;
import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Injects faults into a fleet and checks that nothing was lost. */
@Command(
    name = "torture",
    description =
        "Runs two api and three dispatcher processes with PostgreSQL and Kafka, breaks them, their"
            + " networks and their backends in an order that the seed decides, and checks that"
            + " nothing was lost, skipped or sent without need. The exit status is 1 when a promise"
            + " was broken.")
public final class TortureCommand implements Callable<Integer> {
  private static final List<String> TENANTS = List.of("acme", "birch", "cedar");
  private static final int CHANGES_APART = 10;
  private static final long PUT_APART_MILLIS = 150;

  @Option(names = "--seed", defaultValue = "1", description = "decides the faults and their order")
  private long seed;

  @Option(names = "--minutes", defaultValue = "10", description = "for how long to break things")
  private double minutes;

  @Option(
      names = "--faults",
      defaultValue = "1000",
      description =
          "after how many faults to stop, if before that; with --from, how many there are")
  private int faultsMax;

  @Option(
      names = "--recovery",
      defaultValue = "15s",
      converter = DurationConverter.class,
      description = "how long the service may need to recover from a fault")
  private Duration recovery = Duration.ZERO;

  @Option(
      names = "--backends",
      defaultValue = "single",
      converter = BackendsConverter.class,
      description =
          "single: one PostgreSQL server and one broker, each process with a network of its own to"
              + " them; ha: a primary with a synchronous standby, and three brokers")
  private FleetBackends.Starter backends = SingleBackends::start;

  @Option(
      names = "--folder",
      description = "where the processes' logs and data go; a temporary folder if not given")
  private @Nullable Path folder;

  @Option(
      names = "--from",
      description =
          "a release, of those in deploy/releases, that the processes start with. One after the other is"
              + " replaced by this build, then by the release again, and by this build once more, with"
              + " --faults between them; --minutes does not count. Only from a checkout")
  private @Nullable String release;

  @Option(
      names = "--takeovers",
      hidden = true,
      defaultValue = "3",
      description = "how often each process is replaced with --from; for tests")
  private int takeoversMax;

  @Option(
      names = "--aged",
      arity = "0..1",
      fallbackValue = "3000000",
      paramLabel = "CAPTURES",
      converter = AgedCaptures.class,
      description =
          "begins with a copy of a database as a year leaves it (`egress age`), of so many captures"
              + " (3,000,000 if not given), which has to be as it was in the end")
  private @Nullable Long captures;

  private static final class BackendsConverter implements ITypeConverter<FleetBackends.Starter> {
    @Override
    public FleetBackends.Starter convert(String text) {
      return switch (text) {
        case "single" -> SingleBackends::start;
        case "ha" -> ReplicatedBackends::start;
        default -> throw new TypeConversionException("must be single or ha, not " + text);
      };
    }
  }

  private static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return Durations.parse(text);
    }
  }

  private final Evidence evidence = new Evidence();
  private final List<Thread> putters = new ArrayList<>();
  private final List<Thread> readers = new ArrayList<>();
  private final List<Double> recoveries = new ArrayList<>();
  private volatile boolean putting = true;
  private volatile boolean ended;

  @Override
  public Integer call() throws Exception {
    RunningProcess process = RunningProcess.begin();
    Path where = folder == null ? Files.createTempDirectory("egress-torture") : folder;
    Files.createDirectories(where);
    System.out.printf("seed %d, logs in %s%nstarting ...%n", seed, where);
    Build first = release == null ? Build.current() : Build.ofRelease(release);
    Vertx vertx = Vertx.vertx();
    process.pushAsync("the receivers", vertx::close);
    Receivers receivers = Receivers.start(vertx, evidence);
    int migrations = release == null ? AgedData.NEWEST : Build.migrations(release);
    AgedData aged = captures == null ? null : AgedData.of(captures, migrations);
    if (aged != null) {
      process.push("the copy of the aged database", () -> deleteUnlessNeeded(where));
    }
    FleetBackends started = backends.start(where, aged);
    process.push("the backends", started);
    AgedRows old = aged == null ? null : countRows(started, aged);
    Fleet fleet =
        Fleet.start(process, where, started, first, aged == null ? Map.of() : aged.settings());
    Clients clients = new Clients(fleet.apis(), evidence, () -> ended);
    List<Tenant> tenants = new ArrayList<>();
    for (String name : TENANTS) {
      tenants.add(new Tenant(name, seed, clients, receivers, evidence));
    }
    Checker checker = new Checker(fleet.backends()::databaseUrl, tenants, receivers, evidence);
    for (Tenant tenant : tenants) {
      tenant.addEndpoint(Receivers.Kind.HEALTHY, false);
      tenant.addEndpoint(Receivers.Kind.FLAKY, true);
      tenant.addEndpoint(Receivers.Kind.SLOW, false);
      if (release == null) {
        tenant.addStream(7);
        tenant.addStream(100);
      }
      begin(tenant);
    }
    tenants.get(0).addEndpoint(Receivers.Kind.HANGING, false);
    awaitRecovery(tenants);
    List<Role.Footprint> before = fleet.roles().stream().map(Role::footprint).toList();
    int faults =
        breakThings(
            fleet, first, tenants, () -> new Tenant("dove", seed, clients, receivers, evidence));
    putting = false;
    for (Thread putter : putters) {
      putter.join();
    }
    if (old != null) {
      old.differences().forEach(evidence::violation);
    }
    checker.check();
    ended = true;
    for (Thread reader : readers) {
      reader.join();
    }
    report(faults, checker, before, fleet);
    return evidence.violations().isEmpty() ? 0 : 1;
  }

  /** A copy has gigabytes, and says nothing if every promise was kept. */
  private void deleteUnlessNeeded(Path where) throws IOException {
    if (!ended || !evidence.violations().isEmpty()) {
      return;
    }
    List<Path> copies;
    try (Stream<Path> all = Files.walk(where)) {
      copies =
          all.filter(each -> where.relativize(each).toString().startsWith("postgres"))
              .sorted(Comparator.reverseOrder())
              .toList();
    }
    for (Path each : copies) {
      Files.delete(each);
    }
  }

  private static AgedRows countRows(FleetBackends backends, AgedData aged)
      throws IOException, SQLException {
    System.out.println(aged.description());
    AgedRows rows = AgedRows.begin(backends::databaseUrl, aged.size());
    System.out.printf("of which have to stay: %s%n", rows);
    return rows;
  }

  private int breakThings(Fleet fleet, Build first, List<Tenant> tenants, Faults.Newcomer newcomer)
      throws Exception {
    Random random = new Random(seed);
    Faults faults = new Faults(fleet, tenants, newcomer, evidence, random, recovery);
    Iterator<Fault> next =
        release == null
            ? faults.endless().limit(faultsMax).iterator()
            : forwardBackForward(faults, first).iterator();
    int count = 0;
    long begun = System.nanoTime();
    while ((release != null
            || System.nanoTime() - begun < (long) (minutes * TimeUnit.MINUTES.toNanos(1)))
        && next.hasNext()) {
      breakOnce(++count, next.next(), tenants);
      TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
    }
    return count;
  }

  /** The takeovers of all processes, and between them as many other faults as were given. */
  private List<Fault> forwardBackForward(Faults faults, Build release) {
    List<Fault> takeovers = new ArrayList<>();
    List<Build> builds = List.of(Build.current(), release, Build.current());
    for (int i = 0; i < takeoversMax; i++) {
      takeovers.addAll(faults.takeovers(builds.get(i)));
      if (i == 0 && takeoversMax == builds.size()) {
        // The release sends them nothing: they wait until this build is back.
        takeovers.add(faults.streamsBegin());
      }
    }
    Iterator<Fault> others = faults.ofAMixedFleet().iterator();
    List<Fault> all = new ArrayList<>();
    for (int i = 0; i < takeovers.size(); i++) {
      all.add(takeovers.get(i));
      int soFar = (int) ((i + 1L) * faultsMax / takeovers.size());
      while (all.size() - i - 1 < soFar) {
        all.add(others.next());
      }
    }
    return all;
  }

  private void breakOnce(int count, Fault fault, List<Tenant> tenants) throws Exception {
    long from = System.nanoTime();
    try {
      fault.run();
    } catch (BrokenPromiseException broken) {
      evidence.violation("fault %d, %s: %s".formatted(count, fault.name(), broken.getMessage()));
    }
    long over = System.nanoTime();
    awaitRecovery(tenants);
    long to = System.nanoTime();
    evidence.disturbed(new Evidence.Disturbance(fault.name(), from, to));
    double recovery = (to - over) / 1e9;
    recoveries.add(recovery);
    System.out.printf(
        "%4d  %-50s %5.1f s, recovered after %5.1f s of %3d s; longest hook call %4.1f s, pull %4.1f s%n",
        count,
        fault.name(),
        (over - from) / 1e9,
        recovery,
        fault.recoveryMax().toSeconds(),
        evidence.longestWait(Clients.HOOK),
        evidence.longestWait(Clients.PULL));
    if (to - over > fault.recoveryMax().toNanos()) {
      evidence.violation(
          "fault %d, %s: recovered only after %.1f s".formatted(count, fault.name(), recovery));
    }
  }

  /** Waits until a new capture of each tenant has reached its endpoints. */
  private void awaitRecovery(List<Tenant> tenants) throws InterruptedException {
    new Probe(tenants, evidence).measure();
  }

  private void begin(Tenant tenant) {
    putters.add(
        inOwnThread(() -> {
          Random random = new Random(seed ^ tenant.id().getMostSignificantBits());
          while (putting) {
            tenant.putCapture();
            if (random.nextInt(CHANGES_APART) == 0) {
              tenant.change(random);
            }
            TimeUnit.MILLISECONDS.sleep(PUT_APART_MILLIS);
          }
        }));
    for (int i = 0; i < tenant.readers(); i++) {
      int reader = i;
      readers.add(inOwnThread(() -> tenant.read(reader)));
    }
    readers.add(inOwnThread(tenant::follow));
    readers.add(inOwnThread(tenant::visit));
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private Thread inOwnThread(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Clients.EndedException over) {
                // The client ends normally.
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              } catch (RuntimeException failure) {
                evidence.violation("a client failed: " + failure);
              }
            },
            "client");
    thread.start();
    return thread;
  }

  private void printRecoveries() {
    if (!recoveries.isEmpty()) {
      List<Double> sorted = recoveries.stream().sorted().toList();
      System.out.printf(
          "recovered after %.1f s (median), %.1f s (95%%), %.1f s at most%n",
          sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 95 / 100), sorted.getLast());
    }
  }

  private void report(int faults, Checker checker, List<Role.Footprint> before, Fleet fleet)
      throws IOException {
    System.out.printf(
        "%n%d faults, %,d captures acknowledged, %,d of them erased, %,d deliveries, %,d duplicates%n",
        faults,
        evidence.acknowledged().size(),
        evidence.erased().size(),
        checker.deliveries(),
        checker.duplicates());
    printRecoveries();
    System.out.printf(
        "%-14s %10s %18s %14s %12s%n",
        "process", "RSS MB max", "descriptors", "threads", "log lines");
    for (int i = 0; i < before.size(); i++) {
      Role.Footprint was = before.get(i);
      Role.Footprint now = fleet.roles().get(i).footprint();
      System.out.printf(
          "%-14s %10d %8d -> %6d %5d -> %5d %12d%n",
          now.name(),
          now.residentMaxMegabytes(),
          was.descriptors(),
          now.descriptors(),
          was.threads(),
          now.threads(),
          now.lines());
    }
    evidence.violations().stream().limit(50).forEach(what -> System.out.println("BROKEN: " + what));
    System.out.printf(
        "%s%n",
        evidence.violations().isEmpty()
            ? "every promise was kept"
            : evidence.violations().size() + " promises were broken");
  }
}
