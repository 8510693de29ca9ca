package io.egress.acceptance.year;

import io.egress.acceptance.year.Arrivals.Manner;
import io.egress.acceptance.year.Tenant.Endpoint;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a service: the clock moves on by hours or days, then captures are put, changed,
 * erased and pulled, and one thing happens that is less usual, in an order that the seed decides.
 */
final class Life {
  /** What happens now and then; each of them before any happens again. */
  enum Incident {
    SECRET_ROTATED,
    KEY_ROTATED,
    KEY_EXPIRES,
    REPLAY,
    PAUSE,
    HOLD,
    SETTINGS_PAGE,
    IDEMPOTENT_CALL,
    NEW_ENDPOINT,
    WORKSPACE_ENDS,
    ROLES_RESTART,
    POSTGRES_RESTARTS,
    KAFKA_RESTARTS,
    CLOCK_SET_BACK,
    SLEEP,
    NO_MAINTENANCE
  }

  /** Each is the next delay of the schedule, and a bit. */
  private static final List<Duration> TO_THE_LAST_ATTEMPT =
      List.of(
          Duration.ofMinutes(11),
          Duration.ofMinutes(16),
          Duration.ofMinutes(61),
          Duration.ofMinutes(361),
          Duration.ofMinutes(1_441),
          Duration.ofMinutes(1_441));

  static final Duration RETENTION = Duration.ofDays(4);
  private static final int CAPTURES_MAX = 3;
  private static final int ENDPOINTS_MAX = 8;

  private final MovedFleet fleet;
  private final Arrivals arrivals;
  private final Readiness readiness;
  private final Settling settling;
  private final Violations violations;
  private final Random random;
  private final List<Incident> ahead = new ArrayList<>();
  private final List<Tenant> tenants = new ArrayList<>();
  private final List<Tenant> ended = new ArrayList<>();
  private final List<Instant> setBack = new ArrayList<>();
  private final Tenant kept;
  private final Tenant held;
  private int rounds;
  private int created;
  private @Nullable Instant holdBegan;

  Life(
      MovedFleet fleet,
      Arrivals arrivals,
      Readiness readiness,
      Settling settling,
      Violations violations,
      long seed) {
    this.fleet = fleet;
    this.arrivals = arrivals;
    this.readiness = readiness;
    this.settling = settling;
    this.violations = violations;
    this.random = new Random(seed);
    kept = tenant("kept", null);
    kept.addEndpoint(Manner.FINE, false);
    kept.addEndpoint(Manner.FLAKY, false);
    kept.addEndpoint(Manner.LATER, false);
    kept.addEndpoint(Manner.DAYS_OFF, false);
    Tenant brief = tenant("brief", RETENTION);
    brief.addEndpoint(Manner.FINE, false);
    brief.addEndpoint(Manner.DAYS_OFF, false);
    held = tenant("held", RETENTION);
    held.addEndpoint(Manner.FINE, false);
    held.addEndpoint(Manner.DEAD, false);
  }

  List<Tenant> tenants() {
    return tenants;
  }

  List<Tenant> ended() {
    return ended;
  }

  /** When the clock was set back. */
  List<Instant> setBack() {
    return setBack;
  }

  /** How often each incident has happened. */
  int rounds() {
    return rounds;
  }

  /** Moves on by {@code step}, and lives that time. */
  void live(Duration step) throws SQLException {
    long since = System.nanoTime();
    fleet.move(step);
    for (Tenant tenant : tenants) {
      for (int i = random.nextInt(CAPTURES_MAX + 1); i > 0; i--) {
        tenant.put();
      }
      tenant.changeSome(random);
      tenant.read();
      tenant.checkKeys();
    }
    checkHold();
    settling.await(since, "a step of " + step);
    if (ahead.isEmpty()) {
      Collections.addAll(ahead, Incident.values());
      Collections.shuffle(ahead, random);
    }
    Incident incident = ahead.removeLast();
    long begun = System.nanoTime();
    happen(incident);
    settling.await(begun, incident.name());
    rounds += ahead.isEmpty() ? 1 : 0;
  }

  /** Nothing new, until every delivery has had its last attempt. */
  void end() throws SQLException {
    held.hold(false);
    for (Tenant tenant : tenants) {
      for (Endpoint endpoint : tenant.endpoints()) {
        if (endpoint.isPaused()) {
          tenant.pause(endpoint, false);
        }
      }
    }
    settling.await(System.nanoTime(), "the end of all pauses");
    for (Duration step : TO_THE_LAST_ATTEMPT) {
      long since = System.nanoTime();
      fleet.move(step);
      settling.await(since, "the last " + step);
    }
    // What has expired goes when the next one is made.
    idempotentCall();
    openSettingsPage(kept);
    tenants.forEach(Tenant::read);
  }

  private Tenant tenant(String name, @Nullable Duration retention) {
    Tenant tenant = new Tenant(name, retention, fleet, arrivals, violations);
    tenants.add(tenant);
    return tenant;
  }

  private void happen(Incident incident) throws SQLException {
    Tenant tenant = tenants.get(random.nextInt(tenants.size()));
    Endpoint endpoint = tenant.endpoints().get(random.nextInt(tenant.endpoints().size()));
    switch (incident) {
      case SECRET_ROTATED -> tenant.rotateSecret(endpoint);
      case KEY_ROTATED -> tenant.rotateKey();
      case KEY_EXPIRES -> tenant.mintExpiring(Duration.ofHours(random.nextInt(6, 60)));
      case REPLAY -> tenant.replay(endpoint);
      case PAUSE -> tenant.pause(endpoint, !endpoint.isPaused());
      case HOLD -> hold();
      case SETTINGS_PAGE -> openSettingsPage(tenant);
      case IDEMPOTENT_CALL -> idempotentCall();
      case NEW_ENDPOINT -> addEndpoint(tenant);
      case WORKSPACE_ENDS -> endWorkspace();
      case ROLES_RESTART -> fleet.restartRoles();
      case POSTGRES_RESTARTS -> restartPostgres();
      case KAFKA_RESTARTS -> restartKafka();
      case CLOCK_SET_BACK -> setBack(Duration.ofMinutes(random.nextInt(1, 60)));
      case SLEEP -> fleet.move(Duration.ofHours(random.nextInt(30, 120)));
      case NO_MAINTENANCE -> preventMaintenance();
    }
  }

  private void hold() {
    boolean hold = !held.isOnHold();
    held.hold(hold);
    holdBegan = hold ? fleet.clock().instant() : null;
  }

  private void checkHold() {
    if (holdBegan != null) {
      long erased =
          fleet.count(
              "erasures where workspace_id = '%s' and erased_at > '%s'"
                  .formatted(held.workspace, holdBegan));
      violations.unless(erased == 0, "%d captures were erased on legal hold", erased);
    }
  }

  private void addEndpoint(Tenant tenant) {
    if (tenant.endpoints().size() < ENDPOINTS_MAX) {
      tenant.addEndpoint(Manner.FINE, true);
    }
  }

  private void endWorkspace() {
    Tenant brief = tenant("ended" + created++, null);
    tenants.remove(brief);
    ended.add(brief);
    brief.addEndpoint(Manner.FINE, false);
    brief.put();
    brief.put();
    long since = System.nanoTime();
    settling.await(since, "what a workspace ends with");
    brief.end();
  }

  private void openSettingsPage(Tenant tenant) {
    String link =
        fleet
            .call(
                "POST",
                "/workspaces/" + tenant.workspace + "/portal-links",
                new JsonObject().put("role", "view"))
            .getString("url");
    fleet.roles().openPage(link);
  }

  private void idempotentCall() {
    fleet.roles().mintIdempotently(kept.workspace, "once-" + created++);
  }

  private void restartPostgres() {
    fleet.postgres().stop();
    awaitDown("without PostgreSQL");
    fleet.postgres().start();
  }

  private void restartKafka() {
    fleet.kafka().stop();
    tenants.forEach(Tenant::put);
    awaitDown("without Kafka");
    fleet.kafka().start();
  }

  private void setBack(Duration by) {
    setBack.add(fleet.clock().instant());
    fleet.move(by.negated());
    tenants.forEach(Tenant::put);
  }

  /** The coming days cannot be attached, until today's is missing. */
  private void preventMaintenance() throws SQLException {
    try (Connection lock = fleet.connect()) {
      lock.setAutoCommit(false);
      lock.createStatement().execute("lock table only deliveries in share update exclusive mode");
      fleet.move(Duration.ofDays(MovedFleet.LOG_DAYS + 1L));
      tenants.forEach(Tenant::put);
      awaitDown("without a partition for today");
      lock.rollback();
    }
  }

  private void awaitDown(String why) {
    long begun = System.nanoTime();
    Awaitility.await(why).until(() -> !readiness.isUp() && readiness.wasDownSince(begun));
  }
}
