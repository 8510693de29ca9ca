package io.egress.api.metrics;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.platform.database.Database;
import io.egress.platform.database.Migrations;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.Settings;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** No dispatcher runs here, and none is needed to see that deliveries are late. */
@Execution(ExecutionMode.CONCURRENT)
class EndpointsBehindTest {
  private static final Duration RETENTION = Duration.ofDays(30);
  private static final int ROWS = 20_000;

  private final Vertx vertx = Vertx.vertx();
  private final Settings settings = Settings.from(Service.freshEnvironment());
  private final UUID workspace = UUID.randomUUID();
  private Pool pool;

  @BeforeEach
  void start() {
    Service.await(Migrations.run(vertx, settings.database().url()));
    pool = Database.pool(vertx, settings.database(), "test", 2);
    query("insert into workspaces (id, stream_head) values ('%s', 9)".formatted(workspace));
    query("insert into devices (workspace_id, id) values ('%1$s', '%1$s')".formatted(workspace));
  }

  @AfterEach
  void stop() {
    Service.await(vertx.close());
  }

  @Test
  void countsEndpointsWithoutAnAttemptAndHowLongTheyWait() {
    UUID endpoint = endpoint(false);
    endpoint(true);
    UUID capture = enter(1, "10 minutes");
    enter(2, "1 second");

    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(vertx, pool, Clock.systemUTC(), metrics, RETENTION);
      await().until(() -> metrics.scrape().contains("egress_endpoints_behind 1.0"));
      await()
          .until(() ->
              metrics
                  .scrape()
                  .matches("(?s).*egress_endpoints_behind_oldest_seconds 6\\d\\d\\..*"));
      assertThat(requireNonNull(behind.lateness()).attemptedAt()).isNull();
      behind.close();
    }

    Instant attemptedAt = Instant.now().minusSeconds(300).truncatedTo(ChronoUnit.MICROS);
    attempted(endpoint, attemptedAt);
    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(vertx, pool, Clock.systemUTC(), metrics, RETENTION);
      await().until(() -> behind.lateness() != null);
      assertThat(requireNonNull(behind.lateness()).attemptedAt()).isEqualTo(attemptedAt);
      behind.close();
    }

    log(endpoint, capture);
    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(vertx, pool, Clock.systemUTC(), metrics, RETENTION);
      await().until(() -> metrics.scrape().contains("egress_endpoints_behind 0.0"));
      behind.close();
    }
  }

  @Test
  void countsEndpointsWithOverdueRetriesAndReplays() {
    UUID retried = endpoint(false);
    UUID replayed = endpoint(false);
    UUID paused = endpoint(true);
    UUID delivered = endpoint(false);
    query("create table some_days partition of deliveries default");
    pending(retried, "now() - interval '11 minutes'", "now()");
    pending(replayed, "null", "now() - interval '20 minutes'");
    pending(paused, "now() - interval '11 minutes'", "now()");
    pending(delivered, "now() + interval '1 minute'", "now() - interval '1 day'");

    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(vertx, pool, Clock.systemUTC(), metrics, RETENTION);
      await().until(() -> metrics.scrape().contains("egress_endpoints_behind 2.0"));
      assertThat(metrics.scrape())
          .containsPattern("egress_endpoints_behind_oldest_seconds 12\\d\\d\\..*");
      behind.close();
    }
  }

  private void pending(UUID endpoint, String nextAttemptAt, String updatedAt) {
    query(
        """
        insert into deliveries
          (day, id, endpoint_id, capture_id, position, origin, state, attempts, next_attempt_at, owed_at, updated_at)
        values (current_date, gen_random_uuid(), '%s', gen_random_uuid(), 1, 'live', 'pending', 1, %s, now(), %s)
        """
            .formatted(endpoint, nextAttemptAt, updatedAt));
  }

  /** At a thousand captures a second, a minute's worth is sixty thousand rows. */
  @Test
  void readsFewRowsHoweverManyAreYoungerThanAMinute() {
    for (int i = 0; i < 20; i++) {
      endpoint(false);
    }
    enter(1, "10 minutes");
    enterNow(2, ROWS);
    Pool looking = Database.pool(vertx, settings.database(), "looking", 1);
    int backend =
        Service.await(looking.query("select pg_backend_pid()").execute())
            .iterator()
            .next()
            .getInteger(0);

    try (Metrics metrics = new Metrics()) {
      EndpointsBehind behind =
          new EndpointsBehind(vertx, looking, Clock.systemUTC(), metrics, RETENTION);
      await().until(() -> metrics.scrape().contains("egress_endpoints_behind 20.0"));
      behind.close();
    }
    Service.await(looking.close());

    await()
        .until(() -> number("select count(*) from pg_stat_activity where pid = " + backend) == 0);
    assertThat(
            number(
                "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'stream'"))
        .isLessThan(ROWS / 10);
  }

  private void enterNow(int from, int to) {
    query(
        """
        insert into captures
          (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        select md5(n::text)::uuid, '%1$s', '%1$s', 'manual', now(), '{}', '{}', '', true
        from generate_series(%2$d, %3$d) n
        """
            .formatted(workspace, from, to));
    query(
        """
        insert into stream (workspace_id, position, capture_id, chain)
        select '%s', n, md5(n::text)::uuid, 0 from generate_series(%d, %d) n
        """
            .formatted(workspace, from, to));
    query("update workspaces set stream_head = " + to);
  }

  private long number(String sql) {
    return Service.await(pool.query(sql).execute()).iterator().next().getLong(0);
  }

  private UUID endpoint(boolean paused) {
    UUID id = UUID.randomUUID();
    query(
        """
        insert into endpoints (id, workspace_id, spec, secret, created_position, full_history, paused)
        values ('%s', '%s', '{"url":"https://a.example/"}', '', 0, false, %s)
        """
            .formatted(id, workspace, paused));
    return id;
  }

  private UUID enter(int position, String ago) {
    UUID id = UUID.randomUUID();
    query(
        """
        insert into captures
          (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        values ('%1$s', '%2$s', '%2$s', 'manual', now(), '{}', '{}', '', true)
        """
            .formatted(id, workspace));
    query(
        """
        insert into stream (workspace_id, position, capture_id, chain, entered_at)
        values ('%s', %d, '%s', 0, now() - interval '%s')
        """
            .formatted(workspace, position, id, ago));
    return id;
  }

  private void log(UUID endpoint, UUID capture) {
    query("create table some_days partition of deliveries default");
    query(
        """
        insert into deliveries
          (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
        select (entered_at at time zone 'UTC')::date, '%s', '%s', capture_id, position, 'live',
          'delivered', 1, entered_at
        from stream where capture_id = '%s'
        """
            .formatted(DeliveryId.of(endpoint, capture), endpoint, capture));
  }

  private void attempted(UUID endpoint, Instant at) {
    query(
        """
        insert into endpoint_hours
          (endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, newest, failed, failures, last_failure_at)
        values ('%1$s', date_bin('1 hour', '%2$s'::timestamptz, 'epoch'), 0, 0, 0, 0, 0, '0', 1, '{}', '%2$s')
        """
            .formatted(endpoint, at));
  }

  private void query(String sql) {
    Service.await(pool.query(sql).execute());
  }
}
