package io.egress.bench.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Faults in random order, controlled by a seed. A fault is over when {@link Fault#run} returns. */
final class Faults {
  /**
   * One fault.
   *
   * @param recoveryMax until every healthy endpoint is served again
   */
  record Fault(String name, Duration recoveryMax, Action action) {
    void run() throws Exception {
      action.run();
    }
  }

  /** What happens. */
  interface Action {
    void run() throws Exception;
  }

  private static final int HOSTILE_PROBES = 5;

  private final Fleet fleet;
  private final List<Tenant> tenants;
  private final Evidence evidence;
  private final Random random;
  private final Duration recoveryMax;
  private final Newcomer newcomer;

  /** Adds a workspace. */
  interface Newcomer {
    Tenant get() throws InterruptedException;
  }

  /** {@code recoveryMax} is how long the service may need to recover, beyond the fault itself. */
  Faults(
      Fleet fleet,
      List<Tenant> tenants,
      Newcomer newcomer,
      Evidence evidence,
      Random random,
      Duration recoveryMax) {
    this.fleet = fleet;
    this.tenants = tenants;
    this.newcomer = newcomer;
    this.evidence = evidence;
    this.random = random;
    this.recoveryMax = recoveryMax;
  }

  Stream<Fault> endless() {
    return Stream.generate(() -> shuffled(true)).flatMap(List::stream);
  }

  /** Those that a fleet survives of which some processes are of the release before. */
  Stream<Fault> ofAMixedFleet() {
    return Stream.generate(() -> shuffled(false)).flatMap(List::stream);
  }

  /** Every kind once in random order, so that a short run covers as many as possible. */
  private List<Fault> shuffled(boolean withHostileTenant) {
    List<Fault> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      all.add(ofRole("kill -9", this::killed));
      all.add(ofRole("SIGTERM", this::terminated));
      all.add(ofRole("SIGSTOP", this::frozen));
      all.add(ofRole("vanish with its network", this::vanished));
      all.add(ofLink("connections reset", link -> link.reset()));
      all.add(ofLink("network silent", link -> held(link, Link.Mood.SILENT, 12_000)));
      all.add(ofLink("network refuses", link -> held(link, Link.Mood.REFUSING, 6_000)));
      all.add(ofLink("network slow", link -> held(link, Link.Mood.SLOW, 5_000)));
    }
    all.addAll(fleet.backends().faults(fleet, random, recoveryMax));
    all.add(new Fault("rolling restart", recoveryMax, this::rollingRestart));
    all.add(new Fault("rename storm", recoveryMax, this::renameStorm));
    all.add(new Fault("endpoints come and go", recoveryMax, this::churnEndpoints));
    all.add(new Fault("replay", recoveryMax, () -> any(tenants).replay()));
    all.add(new Fault("captures erased", recoveryMax, () -> any(tenants).eraseSome(random)));
    all.add(new Fault("a workspace ends", recoveryMax, this::endWorkspace));
    if (withHostileTenant) {
      // 1.0.0 lets one workspace stop the others.
      all.add(new Fault("a hostile tenant", recoveryMax, this::hostileTenant));
    }
    Collections.shuffle(all, random);
    return all;
  }

  /** Each process, one after the other, is replaced by one of {@code build}. */
  List<Fault> takeovers(Build build) {
    List<Fault> all = new ArrayList<>();
    for (Role role : fleet.roles()) {
      all.add(
          new Fault(
              role.name() + " becomes " + build.name(),
              recoveryMax,
              () -> {
                role.use(build);
                terminated(role);
                role.awaitUp();
              }));
    }
    Collections.shuffle(all, random);
    return all;
  }

  /** Comes once no process is of a release that cannot create them. */
  Fault streamsBegin() {
    return new Fault(
        "endpoints are sent the stream",
        recoveryMax,
        () -> {
          for (Tenant tenant : tenants) {
            tenant.addStream(7);
            tenant.addStream(100);
          }
        });
  }

  private interface RoleAction {
    void on(Role role) throws Exception;
  }

  private Fault ofRole(String name, RoleAction action) {
    Role role = any(fleet.roles());
    return new Fault(name + " of " + role.name(), recoveryMax, () -> action.on(role));
  }

  private interface LinkAction {
    void on(Link link) throws Exception;
  }

  private Fault ofLink(String name, LinkAction action) {
    Role role = any(fleet.roles());
    boolean database = random.nextBoolean() || !fleet.backends().hasKafkaLinks();
    return new Fault(
        "%s from %s to %s".formatted(name, role.name(), database ? "PostgreSQL" : "Kafka"),
        recoveryMax,
        () -> action.on(database ? role.database : role.kafka));
  }

  private void killed(Role role) throws InterruptedException {
    role.kill();
    pause(3_000);
    role.start();
  }

  private void terminated(Role role) throws InterruptedException {
    // The signal may end a JVM that is not up yet.
    role.awaitUp();
    try {
      int status = role.terminate();
      if (status != 0) {
        evidence.violation(role.name() + " ended with status " + status + " on SIGTERM");
      }
    } catch (IllegalStateException stillRunning) {
      evidence.violation(stillRunning.getMessage() + " of SIGTERM");
    }
    pause(1_000);
    role.start();
  }

  /** More than twice the session timeout of Kafka's consumers. */
  private void frozen(Role role) throws InterruptedException {
    role.freeze();
    pause(20_000);
    role.thaw();
  }

  /** The backends see no FIN. */
  private void vanished(Role role) throws InterruptedException {
    role.database.become(Link.Mood.SILENT);
    role.kafka.become(Link.Mood.SILENT);
    pause(300);
    role.kill();
    pause(12_000);
    role.database.become(Link.Mood.FINE);
    role.kafka.become(Link.Mood.FINE);
    role.start();
  }

  private void held(Link link, Link.Mood mood, int millisMax) throws InterruptedException {
    link.become(mood);
    pause(millisMax);
    link.become(Link.Mood.FINE);
  }

  private void rollingRestart() throws InterruptedException {
    for (Role role : fleet.roles()) {
      terminated(role);
      role.awaitUp();
    }
  }

  private void renameStorm() throws InterruptedException {
    for (int i = 0; i < 30; i++) {
      any(tenants).rename(random);
    }
  }

  /** One with captures that are on their way to an endpoint. */
  private void endWorkspace() throws InterruptedException {
    Tenant tenant = newcomer.get();
    tenant.addEndpoint(Receivers.Kind.HEALTHY, random.nextBoolean());
    for (int i = 0; i < 5; i++) {
      tenant.putCapture();
    }
    pause(1_000);
    tenant.end();
    evidence.ended(tenant.id());
  }

  /** The others are served as soon as they are after a fault, while it goes on. */
  private void hostileTenant() throws InterruptedException {
    Probe probe = new Probe(tenants, evidence);
    Duration calm = probe.measure();
    Duration most = Duration.ZERO;
    Tenant tenant = newcomer.get();
    HostileTenant hostile = HostileTenant.begin(tenant, fleet.apis(), random);
    for (int i = 0; i < HOSTILE_PROBES; i++) {
      Duration beside = probe.measure();
      most = beside.compareTo(most) > 0 ? beside : most;
    }
    hostile.end();
    evidence.ended(tenant.id());
    System.out.printf(
        "      its neighbours were served after %.1f s before, %.1f s at most beside it%n",
        calm.toMillis() / 1e3, most.toMillis() / 1e3);
    if (most.compareTo(calm.multipliedBy(2).plus(recoveryMax)) > 0) {
      throw new BrokenPromiseException(
          "its neighbours were served only after %.1f s".formatted(most.toMillis() / 1e3));
    }
  }

  private void churnEndpoints() throws InterruptedException {
    Tenant tenant = any(tenants);
    Tenant.Endpoint stays = tenant.addEndpoint(Receivers.Kind.HEALTHY, random.nextBoolean());
    Tenant.Endpoint paused = tenant.addEndpoint(Receivers.Kind.HEALTHY, true);
    pause(1_000);
    tenant.pause(paused, true);
    tenant.pauseStreams(true);
    pause(1_000);
    tenant.pauseStreams(false);
    tenant.pause(paused, false);
    pause(500);
    tenant.delete(paused);
    if (random.nextInt(3) > 0) {
      tenant.delete(stays);
    }
  }

  private void pause(int millisMax) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millisMax / 8 + random.nextInt(millisMax));
  }

  private <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
