package io.egress.api.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.transcript.stream.StreamLock;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A capture gets its position when it is stored, unless someone else is sweeping. */
class SweepWithinTest {
  private final UUID workspace = UUID.randomUUID();
  private Service service;
  private SqlConnection other;

  @BeforeEach
  void start() {
    start(Map.of());
  }

  private void start(Map<String, String> changes) {
    service = Service.start(changes);
    other =
        Service.await(
            PgConnection.connect(service.vertx, service.environment.get("EGRESS_DATABASE_URL")));
  }

  @AfterEach
  void stop() {
    Service.await(other.close());
    service.close();
  }

  @Test
  void isPartOfTheTransactionThatStores() {
    put(UUID.randomUUID());

    Row stored =
        service
            .query(
                """
                select c.xmin::text as capture, s.xmin::text as stream, s.position, w.stream_head
                from captures c join stream s on s.capture_id = c.id join workspaces w on w.id = s.workspace_id
                """)
            .iterator()
            .next();
    assertThat(stored.getString("stream")).isEqualTo(stored.getString("capture"));
    assertThat(stored.getLong("position")).isEqualTo(stored.getLong("stream_head")).isEqualTo(1);
    assertThat(service.query("select from stream_inbox").size()).isZero();
  }

  @Test
  void doesNotWaitForTheLock() {
    put(UUID.randomUUID());
    run("begin");
    run("select pg_advisory_xact_lock(%d)".formatted(StreamLock.KEY));

    put(UUID.randomUUID());
    put(UUID.randomUUID());
    assertThat(positions()).containsExactly(1L);

    run("commit");
    await().until(() -> positions().equals(List.of(1L, 2L, 3L)));
  }

  /** Nobody sweeps but who puts. */
  @Test
  void movesWhatOthersLeft() {
    stop();
    start(Map.of("sweep-interval", "1h"));
    UUID left = UUID.randomUUID();
    put(left);
    run("alter table stream disable trigger user");
    run("delete from stream");
    run("update workspaces set stream_head = 0");
    run("alter table stream enable trigger user");
    run("delete from outbox");
    run(
        "insert into stream_inbox (capture_id, workspace_id) select id, workspace_id from captures");
    UUID next = UUID.randomUUID();
    put(next);

    assertThat(service.query("select capture_id from stream order by position"))
        .extracting(row -> row.getUUID(0))
        .containsExactly(left, next);
  }

  /** Another process puts a capture with the same id at the same time. */
  @Test
  void isRepeatedIfTheCaptureIsTaken() {
    put(UUID.randomUUID());
    UUID taken = UUID.randomUUID();
    run("begin");
    run(
        """
        insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        select '%s', workspace_id, device_id, mode, started_at, speakers, members, '', true from captures
        """
            .formatted(taken));
    CompletableFuture<Integer> put =
        CompletableFuture.supplyAsync(
            () -> service.put(taken, Service.capture(workspace)).statusCode());
    await()
        .until(
            () ->
                service
                        .query(
                            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                        .size()
                    == 1);

    run(
        "insert into stream_inbox (capture_id, workspace_id) values ('%s', '%s')"
            .formatted(taken, workspace));
    run("commit");

    assertThat(put.join()).as("of a capture that exists").isEqualTo(200);
    await().until(() -> positions().equals(List.of(1L, 2L)));
    assertThat(service.query("select from documents").size()).isEqualTo(2);
  }

  @Test
  void capturesAreErasedAndNotDeleted() {
    put(UUID.randomUUID());

    assertThatThrownBy(() -> service.query("delete from captures"))
        .hasMessageContaining("captures are erased, not deleted");
  }

  private void put(UUID id) {
    assertThat(service.put(id, Service.capture(workspace)).statusCode()).isEqualTo(201);
  }

  private List<Long> positions() {
    return StreamSupport.stream(
            service.query("select position from stream order by position").spliterator(), false)
        .map(row -> row.getLong(0))
        .toList();
  }

  private void run(String sql) {
    Service.await(other.query(sql).execute());
  }
}
