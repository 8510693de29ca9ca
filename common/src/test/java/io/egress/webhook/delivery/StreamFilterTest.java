package io.egress.webhook.delivery;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.database.Migrations;
import io.egress.platform.database.Rows;
import io.egress.platform.json.Json;
import io.egress.testing.SharedBackends;
import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.Owed.HeldFilter;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamFilterTest {
  private static final int CAPTURES = 60;
  private static final String STREAM =
      "select %s, admits($1::jsonb, s) as admitted from stream s order by position"
          .formatted(EnteredCapture.COLUMNS);

  private final Vertx vertx = Vertx.vertx();
  private final UUID workspace = UUID.randomUUID();
  private final List<UUID> devices = Stream.generate(UUID::randomUUID).limit(3).toList();
  private Pool database;

  @BeforeEach
  void connect() {
    database =
        PgBuilder.pool()
            .connectingTo(
                PgConnectOptions.fromUri(SharedBackends.get().freshDatabase(Migrations::run)))
            .using(vertx)
            .build();
  }

  @AfterEach
  void close() {
    database.close().toCompletionStage().toCompletableFuture().join();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** Also of captures that earlier releases have let enter, without what they were. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void theDatabaseAdmitsTheSame(int seed) {
    Random random = new Random(seed);
    List<HeldFilter> filters = filters(random);
    JsonArray stored = new JsonArray();
    filters.forEach(each -> stored.add(Json.object(each)));
    Owed owed = new Owed(UUID.randomUUID(), 0, Instant.EPOCH, false, filters);

    List<Row> rows = rows(random, stored);

    assertThat(rows).hasSize(CAPTURES);
    for (Row row : rows) {
      EnteredCapture capture = EnteredCapture.of(row);
      assertThat(owed.admits(capture))
          .as("%s of %s", capture, stored)
          .isEqualTo(row.getBoolean("admitted"));
    }
  }

  @Test
  void aModeOfANewerReleaseMatchesNothingHere() {
    StreamFilter filter =
        Json.decode("{\"modes\":[\"telepathic\"],\"devices\":null}", StreamFilter.class);

    assertThat(filter.wants(new Traits(Mode.MANUAL, devices.getFirst()))).isFalse();
  }

  @Test
  void aCaptureInAModeOfANewerReleaseHoldsUpNothing() {
    fill(new Random(1));
    Rows.of(database, "update stream set mode = 'telepathic' where position = 1");
    Row row = Rows.of(database, STREAM, new JsonArray()).iterator().next();

    EnteredCapture capture = EnteredCapture.of(row);
    Traits traits = requireNonNull(capture.traits());
    assertThat(new StreamFilter(Set.of(Mode.MANUAL), null).wants(traits)).isFalse();
    assertThat(new StreamFilter(null, Set.of(traits.deviceId())).wants(traits)).isTrue();
  }

  @Test
  void equalFiltersAreWrittenAlike() {
    StreamFilter one = new StreamFilter(Set.of(Mode.MANUAL, Mode.AMBIENT), Set.copyOf(devices));
    StreamFilter other =
        new StreamFilter(Set.of(Mode.AMBIENT, Mode.MANUAL), Set.copyOf(devices.reversed()));

    assertThat(Json.object(one).encode()).isEqualTo(Json.object(other).encode());
  }

  private List<Row> rows(Random random, JsonArray filters) {
    fill(random);
    return Rows.list(Rows.of(database, STREAM, filters), row -> row);
  }

  private void fill(Random random) {
    Rows.of(database, "insert into workspaces (id) values ($1)", workspace);
    for (UUID device : devices) {
      Rows.of(
          database, "insert into devices (workspace_id, id) values ($1, $2)", workspace, device);
    }
    for (long position = 1; position <= CAPTURES; position++) {
      Traits traits = new Traits(mode(random), devices.get(random.nextInt(3)));
      add(database, position, traits, random.nextBoolean());
    }
  }

  private void add(SqlClient client, long position, Traits traits, boolean recorded) {
    UUID id = UUID.randomUUID();
    String mode = requireNonNull(traits.mode()).wireName();
    Rows.of(
        client,
        """
        insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest)
        values ($1, $2, $3, $4, now(), '{}', '{}', '')
        """,
        id,
        workspace,
        traits.deviceId(),
        mode);
    Rows.of(
        client,
        """
        insert into stream (workspace_id, position, capture_id, chain, mode, device_id)
        values ($1, $2, $3, 0, $4, $5)
        """,
        workspace,
        position,
        id,
        recorded ? mode : null,
        recorded ? traits.deviceId() : null);
  }

  private List<HeldFilter> filters(Random random) {
    List<HeldFilter> filters = new ArrayList<>();
    long after = 0;
    for (int i = random.nextInt(6); i > 0; i--) {
      filters.add(new HeldFilter(after, random.nextInt(4) == 0 ? null : filter(random)));
      after += random.nextInt(CAPTURES / 3);
    }
    return filters;
  }

  private static Mode mode(Random random) {
    return random.nextBoolean() ? Mode.MANUAL : Mode.AMBIENT;
  }

  private StreamFilter filter(Random random) {
    @Nullable Set<Mode> modes = random.nextBoolean() ? null : Set.of(mode(random));
    return new StreamFilter(
        modes,
        modes != null && random.nextBoolean()
            ? null
            : IntStream.rangeClosed(0, random.nextInt(3))
                .mapToObj(devices::get)
                .collect(Collectors.toSet()));
  }
}
