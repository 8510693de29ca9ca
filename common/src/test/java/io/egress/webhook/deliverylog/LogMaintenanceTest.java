package io.egress.webhook.deliverylog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.platform.database.Migrations;
import io.egress.platform.database.Rows;
import io.egress.platform.http.Health;
import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogMaintenanceTest {
  private static final int KEPT_DAYS = 3;
  private static final String READ_ALL = "select count(*) from deliveries";

  private final Vertx vertx = Vertx.vertx();
  private final Pool pool =
      PgBuilder.pool()
          .connectingTo(
              PgConnectOptions.fromUri(SharedBackends.get().freshDatabase(Migrations::run)))
          .with(new PoolOptions().setMaxSize(6))
          .using(vertx)
          .build();
  private final LogDays days = new LogDays(Clock.systemUTC(), Duration.ofDays(KEPT_DAYS));
  private final LogMaintenance maintenance = new LogMaintenance(pool, days);
  private final LocalDate today = LocalDate.now(ZoneOffset.UTC);
  private final UUID endpoint = UUID.randomUUID();

  @BeforeEach
  void makeDays() {
    maintenance.run();
  }

  @AfterEach
  void close() {
    await(pool.close());
    await(vertx.close());
  }

  @Test
  void keepsWhatIsOwedSinceJustBeforeMidnightAsLongAsAllOthers() {
    assertThat(partitions("deliveries"))
        .first()
        .isEqualTo(LogDays.deliveries(today.minusDays(KEPT_DAYS)));
    assertThat(partitions("attempts"))
        .last()
        .isEqualTo(LogDays.attempts(today.plusDays(LogDays.DAYS_AHEAD)));
    assertThat(maintenance.state()).isEqualTo(Health.State.UP);
  }

  @Test
  void aDayIsAddedWhileOthersReadAndWrite() {
    SqlConnection reader = begun(READ_ALL);

    LogDays longer = new LogDays(Clock.systemUTC(), Duration.ofDays(KEPT_DAYS + 1));
    new LogMaintenance(pool, longer).run(today.plusDays(1));

    assertThat(partitions("deliveries"))
        .contains(LogDays.deliveries(today.plusDays(LogDays.DAYS_AHEAD + 1)));
    end(reader);
  }

  @Test
  void aDayThatCannotEndYetHoldsUpNothing() {
    delivered(today.minusDays(KEPT_DAYS), 1, 5);
    SqlConnection reader = begun(READ_ALL);

    assertThatThrownBy(() -> maintenance.run(today.plusDays(1)))
        .isInstanceOfSatisfying(
            PgException.class,
            failure -> assertThat(failure.getSqlState()).as("no lock in time").isEqualTo("55P03"));

    assertThat(partitions("deliveries"))
        .contains(
            LogDays.deliveries(today.minusDays(KEPT_DAYS)),
            LogDays.deliveries(today.plusDays(LogDays.DAYS_AHEAD + 1)));
    end(reader);
    maintenance.run(today.plusDays(1));
    assertThat(partitions("deliveries"))
        .doesNotContain(LogDays.deliveries(today.minusDays(KEPT_DAYS)))
        .noneMatch(name -> name.startsWith("ending"));
    assertThat(receipts()).isEqualTo("{[1,6)}");
  }

  @Test
  void aDayThatEndsIsReadUntilItsReceiptsExist() {
    LocalDate last = today.minusDays(KEPT_DAYS);
    delivered(last, 1, 5);
    String name = LogDays.deliveries(last);
    query("alter table %1$s rename to ending_%1$s".formatted(name));
    assertThat(query(READ_ALL)).containsExactly("5");

    maintenance.run(today.plusDays(1));
    assertThat(query(READ_ALL)).containsExactly("0");
    assertThat(receipts()).isEqualTo("{[1,6)}");
  }

  @Test
  void whatAnotherProcessHasCopiedIsNotCopiedAgain() {
    LocalDate last = today.minusDays(KEPT_DAYS);
    delivered(last, 1, 1_000);
    String name = LogDays.deliveries(last);
    query("alter table %1$s rename to ending_%1$s".formatted(name));
    query("comment on table ending_%s is '1'".formatted(name));

    maintenance.run(today.plusDays(1));

    assertThat(receipts()).matches("\\{\\[[1-9][0-9]+,1001\\)}");
  }

  @Test
  void anyNumberOfProcessesMayDoItAtTheSameTime() {
    for (LocalDate day = today.minusDays(KEPT_DAYS); !day.isAfter(today); day = day.plusDays(1)) {
      delivered(day, 1, 300);
    }
    try (ExecutorService processes = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 4; i++) {
        processes.execute(() -> new LogMaintenance(pool, days).run(today.plusDays(KEPT_DAYS + 1)));
      }
    }
    maintenance.run(today.plusDays(KEPT_DAYS + 1));

    assertThat(query("select count(*), sum(upper(delivered) - lower(delivered)) from receipts"))
        .containsExactly((KEPT_DAYS + 1) + " " + 300 * (KEPT_DAYS + 1));
    assertThat(partitions("deliveries")).hasSize(KEPT_DAYS + 1 + LogDays.DAYS_AHEAD);
  }

  @Test
  void saysWhenTodayCannotBeWritten() {
    LogMaintenance other = new LogMaintenance(pool, days);
    assertThat(other.state()).as("before the first run").isEqualTo(Health.State.DOWN);
    // A table in the way that is no partition.
    String name = LogDays.attempts(today);
    query("drop table " + name);
    query("create view %s as select 1".formatted(name));

    assertThatThrownBy(other::run).isInstanceOf(PgException.class);
    assertThat(other.state()).isEqualTo(Health.State.DOWN);

    query("drop view " + name);
    other.run();
    assertThat(other.state()).isEqualTo(Health.State.UP);
  }

  private SqlConnection begun(String statement) {
    SqlConnection connection = await(pool.getConnection());
    await(connection.query("begin").execute());
    await(connection.query(statement).execute());
    return connection;
  }

  private static void end(SqlConnection connection) {
    await(connection.query("rollback").execute());
    await(connection.close());
  }

  private void delivered(LocalDate day, int first, int last) {
    query(
        """
        insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
        select '%1$s', gen_random_uuid(), '%2$s', gen_random_uuid(), n, 'live', 'delivered', 1, '%1$s'
        from generate_series(%3$d, %4$d) n
        """
            .formatted(day, endpoint, first, last));
  }

  private String receipts() {
    return query("select range_merge(delivered)::int8multirange::text from receipts").getFirst();
  }

  private List<String> partitions(String parent) {
    return query(
        "select relname from pg_inherits join pg_class on oid = inhrelid where inhparent = '%s'::regclass order by 1"
            .formatted(parent));
  }

  private List<String> query(String sql) {
    return Rows.list(
        await(pool.query(sql).execute()),
        row -> {
          StringBuilder line = new StringBuilder();
          for (int i = 0; i < row.size(); i++) {
            line.append(i == 0 ? "" : " ").append(row.getValue(i));
          }
          return line.toString();
        });
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(30, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
