package io.egress.acceptance.year;

import static org.awaitility.Awaitility.await;

import io.egress.acceptance.BothRoles;
import io.egress.acceptance.TestEnvironment;
import io.egress.embedded.DatabaseAddress;
import io.egress.embedded.Durability;
import io.egress.embedded.KafkaBroker;
import io.egress.embedded.PostgresServer;
import io.egress.testing.MovableClock;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PostgreSQL by a clock that the test moves, a broker and both roles by that of the host. Only
 * PostgreSQL is right: its clock is the one of the fleet.
 */
final class MovedFleet implements AutoCloseable {
  static final int LOG_DAYS = 3;
  static final Duration PAUSED_AFTER = Duration.ofDays(5);
  private static final double CLOCKS_APART_MAX = 2;
  private static final Pattern HOST_AHEAD =
      Pattern.compile("(?m)^egress_host_clock_ahead_seconds\\{[^}]*} (\\S+)$");

  private final MovableClock clock;
  private final PostgresServer postgres;
  private final KafkaBroker kafka;
  private final Map<String, String> environment;
  private volatile BothRoles roles;

  MovedFleet(Path folder, MovableClock clock) {
    this.clock = clock;
    postgres =
        PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED, clock.environment());
    kafka = KafkaBroker.start(folder.resolve("kafka"), Durability.UNSYNCED);
    environment = TestEnvironment.on(postgres.databaseUrl(), kafka.bootstrap(), BothRoles.TOKEN);
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_DELIVERY_LOG_RETENTION", LOG_DAYS + "d");
    environment.put("EGRESS_PAUSE_FAILING_AFTER", PAUSED_AFTER.toDays() + "d");
    roles = new BothRoles(environment);
  }

  MovableClock clock() {
    return clock;
  }

  PostgresServer postgres() {
    return postgres;
  }

  KafkaBroker kafka() {
    return kafka;
  }

  BothRoles roles() {
    return roles;
  }

  /** As an update does, one after the other. */
  void restartRoles() {
    roles.close();
    roles = new BothRoles(environment);
  }

  /** A call of the internal API, repeated until it is answered. */
  JsonObject call(String method, String path, JsonObject body) {
    return await().ignoreExceptions().until(() -> roles.call(method, path, body), _ -> true);
  }

  /** Moves the clock, and waits until both roles know. */
  void move(Duration by) {
    clock.move(by);
    await()
        .ignoreExceptions()
        .until(() -> isKnown(roles.metricsOfApi()) && isKnown(roles.metricsOfDispatcher()));
  }

  private boolean isKnown(String metrics) {
    Matcher ahead = HOST_AHEAD.matcher(metrics);
    return ahead.find()
        && Math.abs(Double.parseDouble(ahead.group(1)) + clock.ahead().toMillis() / 1e3)
            < CLOCKS_APART_MAX;
  }

  /** The first value of the result; empty if there is none. */
  String query(String sql) {
    String value = postgres.query(sql);
    return value == null ? "" : value;
  }

  /** For a transaction that stays open. */
  Connection connect() throws SQLException {
    return DatabaseAddress.parse(postgres.databaseUrl()).connect();
  }

  long count(String sql) {
    return Long.parseLong(query("select count(*) from " + sql));
  }

  @Override
  public void close() {
    roles.close();
    kafka.close();
    postgres.close();
  }
}
