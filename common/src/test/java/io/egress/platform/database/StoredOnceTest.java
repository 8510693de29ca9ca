package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.metrics.Metrics;
import io.egress.testing.SharedBackends;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.CaptureTable;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.RevisedDocument;
import io.egress.transcript.document.TranscriptRenderer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.Json;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Captures stored with their segments and participants, before V20, are read from their documents.
 */
class StoredOnceTest {
  private static final String LONG = "Grüße, \uD83D\uDE00 \"".repeat(10_000);

  private final Vertx vertx = Vertx.vertx();
  private final String url = SharedBackends.get().freshDatabase();
  private final Pool pool =
      PgBuilder.pool().connectingTo(PgConnectOptions.fromUri(url)).using(vertx).build();
  private final Member ada = new Member(UUID.randomUUID(), "Ada", null);
  private final Capture capture =
      new Capture(
          UUID.randomUUID(),
          UUID.randomUUID(),
          Mode.AMBIENT,
          "Weekly",
          "What was said.",
          Instant.parse("2026-05-01T10:00:00Z"),
          null,
          null,
          new Device(UUID.randomUUID(), "Atlas"),
          List.of(new Participant("S1", ada, 0.9, 10), new Participant("S2", null, null, 7)),
          List.of(
              new Segment(0, 900, "S2", "First."),
              new Segment(1_000, 2_000, null, "Noise."),
              new Segment(2_000, 3_000, "S1", LONG)));

  @BeforeEach
  void storeWithSegments() {
    migrate("19");
    UUID workspace = capture.workspaceId();
    run("insert into workspaces (id) values ($1)", workspace);
    run(
        "insert into devices (workspace_id, id, name) values ($1, $2, 'Atlas')",
        workspace,
        capture.device().id());
    run("insert into members (workspace_id, id, name) values ($1, $2, 'Ada')", workspace, ada.id());
    run(
        """
        insert into captures (id, workspace_id, device_id, mode, title, summary, started_at, segments, digest)
        values ($1, $2, $3, 'ambient', 'Weekly', 'What was said.', $4, $5::text::json, '')
        """,
        capture.id(),
        workspace,
        capture.device().id(),
        capture.startedAt().atOffset(ZoneOffset.UTC),
        """
        [[0,900,"S2","First."],[1000,2000,null,"Noise."],[2000,3000,"S1",%s]]
        """
            .formatted(Json.encode(LONG)));
    run(
        """
        insert into participants (capture_id, label, ordinal, workspace_id, member_id, match_confidence, speech_ms)
        values ($1, 'S1', 4, $2, $3, 0.9, 10), ($1, 'S2', 5, $2, null, null, 7)
        """,
        capture.id(),
        workspace,
        ada.id());
  }

  @AfterEach
  void close() {
    await(pool.close());
    await(vertx.close());
  }

  @Test
  void fromADocument() {
    await(
        new DocumentStore(vertx, pool, new Metrics())
            .put(
                pool,
                List.of(
                    new RevisedDocument(
                        capture.id(),
                        1,
                        Fragment.deflate(new TranscriptRenderer().render(capture))))));

    migrate("latest");

    assertIsRead();
  }

  /** As after a member of it was erased. */
  @Test
  void fromAnEmptyDocument() {
    run(
        "insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated) values ($1, 1, 0, 9, 9, 9, '')",
        capture.id());

    migrate("latest");

    assertIsRead();
  }

  @Test
  void fromNoDocument() {
    migrate("latest");

    assertIsRead();
  }

  private void assertIsRead() {
    CaptureTable.Found found = await(CaptureTable.read(pool, List.of(capture.id()))).parse();
    assertThat(found.unreadable()).isEmpty();
    assertThat(found.captures()).containsExactly(new RevisedCapture(capture, 1));
  }

  private void migrate(String version) {
    Flyway.configure()
        .dataSource(ConnectOptions.forJdbc(DatabaseUrl.parse(url)))
        .target(version)
        .load()
        .migrate();
  }

  private void run(String sql, Object... parameters) {
    await(pool.preparedQuery(sql).execute(Tuple.from(parameters)));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(30, TimeUnit.SECONDS);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
