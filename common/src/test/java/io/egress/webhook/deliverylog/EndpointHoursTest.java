package io.egress.webhook.deliverylog;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.database.Migrations;
import io.egress.testing.SharedBackends;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Delivery.Origin;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is written, and however often, the counts are what counting the log gives. */
class EndpointHoursTest {
  private static final int ATTEMPTS_MAX = 7;

  private static final String STATES =
      """
      select endpoint_id, date_trunc('hour', owed_at, 'UTC') as hour,
        count(*) filter (where state = 'pending') as pending,
        count(*) filter (where state = 'delivered') as delivered,
        count(*) filter (where state = 'exhausted') as exhausted,
        count(*) filter (where state = 'skipped') as skipped
      from deliveries where origin = 'live' group by 1, 2 order by 1, 2
      """;
  private static final String COUNTED_STATES =
      """
      select endpoint_id, hour, pending, delivered, exhausted, skipped from endpoint_hours
      where pending <> 0 or delivered <> 0 or exhausted <> 0 or skipped <> 0 order by 1, 2
      """;

  private static final String ATTEMPTS =
      """
      with a as (
        select d.endpoint_id, date_trunc('hour', a.started_at, 'UTC') as hour, a.*
        from attempts a join deliveries d on d.id = a.delivery_id and d.day = a.day),
      failures as (
        select endpoint_id, hour, jsonb_object_agg(outcome, attempts) as failures from (
          select endpoint_id, hour, outcome, count(*) as attempts from a where outcome <> 'delivered' group by 1, 2, 3)
          as each
        group by 1, 2)
      select a.endpoint_id, a.hour, count(*) filter (where outcome = 'delivered') as succeeded,
        count(*) filter (where outcome <> 'delivered') as failed, coalesce(f.failures, '{}') as failures,
        least(20, count(*)) as newest,
        max(started_at) filter (where outcome = 'delivered') as last_success_at,
        max(started_at) filter (where outcome <> 'delivered') as last_failure_at,
        (array_agg(jsonb_build_object('outcome', outcome, 'status', status, 'detail', left(detail, 200)) order by started_at desc)
          filter (where outcome <> 'delivered'))[1] as last_failure,
        array_agg(width_bucket(duration_ms, '{2,3,4,6,10,16,25,40,63,100,160,250,400,630,1000,1600,2500,4000,6300,10000,16000,25000,40000}'::integer[]) order by duration_ms) as buckets
      from a left join failures f using (endpoint_id, hour) group by 1, 2, f.failures order by 1, 2
      """;
  private static final String COUNTED_ATTEMPTS =
      """
      select endpoint_id, hour, succeeded, failed, failures, length(newest) as newest,
        last_success_at, last_failure_at, last_failure,
        array(
          select (bucket - 1)::integer from unnest(latencies) with ordinality as l(attempts, bucket), generate_series(1, attempts)
          order by 1) as buckets
      from endpoint_hours where succeeded + failed > 0 order by 1, 2
      """;

  private final Vertx vertx = Vertx.vertx();
  private final Pool pool =
      PgBuilder.pool()
          .connectingTo(
              PgConnectOptions.fromUri(SharedBackends.get().freshDatabase(Migrations::run)))
          .with(new PoolOptions().setMaxSize(4))
          .using(vertx)
          .build();
  private final LogDays days = new LogDays(Clock.systemUTC(), Duration.ofDays(5));
  private final DeliveryLog log = new DeliveryLog(pool, days);
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);

  @BeforeEach
  void makeDays() {
    new LogMaintenance(pool, days).run();
  }

  @AfterEach
  void close() {
    await(pool.close());
    await(vertx.close());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void equalARecountOfTheLog(long seed) {
    recount(seed);
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(longs = {3, 4, 5})
  void equalARecountOfMoreLogs(long seed) {
    recount(seed);
  }

  private void recount(long seed) {
    Random random = new Random(seed);
    List<Delivery> deliveries = deliveries(random);
    List<List<LogEntry>> before = new ArrayList<>();
    for (int round = 0; round < 60; round++) {
      List<Future<?>> writes = new ArrayList<>();
      int writers = 1 + random.nextInt(3);
      for (int i = 0; i < writers; i++) {
        boolean isRepetition = !before.isEmpty() && random.nextInt(4) == 0;
        List<LogEntry> entries =
            isRepetition ? before.get(random.nextInt(before.size())) : entries(random, deliveries);
        before.add(entries);
        writes.add(write(entries));
      }
      if (random.nextInt(5) == 0) {
        erase(deliveries.get(random.nextInt(deliveries.size())).captureId());
      }
      await(Future.all(writes));
    }

    assertThat(rows(STATES)).isNotEmpty().isEqualTo(rows(COUNTED_STATES));
    assertThat(rows(ATTEMPTS)).isNotEmpty().isEqualTo(rows(COUNTED_ATTEMPTS));
    assertThat(
            rows(
                """
                select newest from endpoint_hours
                where succeeded + failed <= 20 and length(replace(newest, '0', '')) <> succeeded
                """))
        .isEmpty();
  }

  @Test
  void theNewestAttemptsAreInTheOrderInWhichTheyWereRecorded() {
    List<Delivery> deliveries =
        IntStream.range(0, 30).mapToObj(_ -> live(new UUID(0, 1), now)).toList();
    Instant hour = now.truncatedTo(ChronoUnit.HOURS);
    for (int i = 0; i < 30; i += 2) {
      await(
          log.write(
              List.of(
                  i < 20
                      ? failed(deliveries.get(i), hour.plusSeconds(i + 1))
                      : delivered(deliveries.get(i), hour.plusSeconds(i + 1)),
                  failed(deliveries.get(i + 1), hour.plusSeconds(i)))));
    }

    assertThat(rows("select newest from endpoint_hours where newest <> ''"))
        .containsExactly("{\"newest\":\"" + "0".repeat(10) + "01".repeat(5) + "\"}");
  }

  @Test
  void areDeletedWithTheLog() {
    Delivery old = live(new UUID(0, 1), now.minus(Duration.ofDays(3)));
    Delivery recent = live(new UUID(0, 1), now);
    await(log.write(List.of(delivered(old, old.owedAt()), delivered(recent, now))));
    assertThat(rows("select hour from endpoint_hours")).hasSize(2);

    new LogMaintenance(pool, new LogDays(Clock.systemUTC(), Duration.ofDays(2))).run();

    assertThat(rows("select hour from endpoint_hours where hour < now() - interval '2 days'"))
        .isEmpty();
    assertThat(rows("select hour from endpoint_hours")).hasSize(1);
  }

  private List<Delivery> deliveries(Random random) {
    List<UUID> endpoints = IntStream.range(0, 4).mapToObj(i -> new UUID(7, i)).toList();
    List<Delivery> deliveries = new ArrayList<>();
    for (int position = 1; position <= 60; position++) {
      UUID capture = UUID.randomUUID();
      Instant owedAt = now.minus(Duration.ofMinutes(random.nextInt(5_000)));
      for (UUID endpoint : endpoints) {
        deliveries.add(first(endpoint, capture, position, Origin.LIVE, owedAt));
        Origin origin = any(random, Origin.OF_CAPTURES.toArray(Origin[]::new));
        if (origin != Origin.LIVE) {
          deliveries.add(
              Delivery.replayed(UUID.randomUUID(), endpoint, capture, position, origin, owedAt));
        }
      }
    }
    return deliveries;
  }

  private List<LogEntry> entries(Random random, List<Delivery> deliveries) {
    List<Delivery> all = new ArrayList<>(deliveries);
    Collections.shuffle(all, random);
    return all.stream().limit(1 + random.nextInt(60)).map(each -> entry(random, each)).toList();
  }

  private LogEntry entry(Random random, Delivery first) {
    Delivery delivery = first;
    int attempt = random.nextBoolean() ? 1 : 1 + random.nextInt(ATTEMPTS_MAX);
    for (int i = 1; i < attempt; i++) {
      delivery = delivery.next(now);
    }
    Instant startedAt =
        now.minusNanos(1_000L * random.nextLong(Duration.ofHours(30).toNanos() / 1_000));
    return switch (random.nextInt(8)) {
      case 0 -> new LogEntry(delivery, DeliveryState.SKIPPED, null, null);
      case 1 -> LogEntry.owed(delivery);
      case 2, 3 -> delivered(delivery, startedAt);
      case 4 -> new LogEntry(delivery, DeliveryState.EXHAUSTED, failure(random, startedAt), null);
      default ->
          new LogEntry(
              delivery, DeliveryState.PENDING, failure(random, startedAt), now.plusSeconds(60));
    };
  }

  private static <T> T any(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  private static LogEntry delivered(Delivery delivery, Instant startedAt) {
    return new LogEntry(
        delivery, DeliveryState.DELIVERED, attempt(startedAt, "delivered", 204, null), null);
  }

  private static LogEntry failed(Delivery delivery, Instant startedAt) {
    return new LogEntry(
        delivery, DeliveryState.PENDING, attempt(startedAt, "status", 500, null), startedAt);
  }

  private static MadeAttempt failure(Random random, Instant startedAt) {
    FailureKind kind = any(random, FailureKind.values());
    return attempt(
        startedAt,
        kind.word(),
        kind.isAnswer() ? 400 + random.nextInt(200) : null,
        random.nextBoolean()
            ? "\uD83D\uDD25".repeat(random.nextInt(300)) + random.nextInt()
            : null);
  }

  private static MadeAttempt attempt(
      Instant startedAt, String outcome, @Nullable Integer status, @Nullable String detail) {
    return new MadeAttempt(
        startedAt,
        Duration.ofMillis(millis(startedAt)),
        outcome,
        status,
        detail,
        null,
        Exchanged.NOTHING);
  }

  /** The same for the same attempt, however often it is written; in every bucket. */
  private static long millis(Instant startedAt) {
    long powerMax = Math.floorMod(startedAt.getEpochSecond(), 17L);
    return Math.floorMod(startedAt.toEpochMilli(), 1L << powerMax);
  }

  private static Delivery live(UUID endpoint, Instant owedAt) {
    return first(endpoint, UUID.randomUUID(), 1, Origin.LIVE, owedAt);
  }

  private static Delivery first(
      UUID endpoint, UUID capture, long position, Origin origin, Instant owedAt) {
    return Delivery.first(
        DeliveryId.of(endpoint, capture), endpoint, capture, position, origin, owedAt);
  }

  /** As workers do: what was chosen as a deadlock's victim is written again. */
  private Future<Void> write(List<LogEntry> entries) {
    return log.write(entries)
        .recover(failure ->
            failure instanceof PgException refused && "40P01".equals(refused.getSqlState())
                ? write(entries)
                : Future.failedFuture(failure));
  }

  private void erase(UUID capture) {
    await(
        pool.query(
                """
                with w as (insert into workspaces (id) values ('%1$s') returning id),
                d as (insert into devices (workspace_id, id) select id, id from w returning id),
                c as (
                  insert into captures (id, workspace_id, device_id, mode, started_at, members, speakers, digest)
                  select '%1$s', id, id, 'manual', now(), '{}', '{}', '' from d on conflict do nothing)
                select 1
                """
                    .formatted(capture))
            .execute()
            .otherwiseEmpty());
    await(pool.query("select erase_capture('%s', null, 'a test')".formatted(capture)).execute());
  }

  private List<String> rows(String sql) {
    return StreamSupport.stream(await(pool.query(sql).execute()).spliterator(), false)
        .map(Row::toJson)
        .map(JsonObject::encode)
        .toList();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(30, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
