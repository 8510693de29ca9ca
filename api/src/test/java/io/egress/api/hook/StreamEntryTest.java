package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A capture gets its position when it is stored. */
class StreamEntryTest {
  private final UUID workspace = UUID.randomUUID();
  private Service service;
  private SqlConnection other;

  @BeforeEach
  void start() {
    service = Service.start();
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
  }

  @Test
  void waitsOnlyForThoseOfTheSameWorkspace() {
    put(UUID.randomUUID());
    run("begin");
    run("select from workspaces where id = '%s' for no key update".formatted(workspace));
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> put(UUID.randomUUID()));
    await().until(this::isWaiting);

    try (Service twin = service.twin()) {
      assertThat(twin.put(UUID.randomUUID(), Service.capture(UUID.randomUUID())).statusCode())
          .isEqualTo(201);
    }
    assertThat(positions()).containsExactly(1L);

    run("commit");
    waiting.join();
    assertThat(positions()).containsExactly(1L, 2L);
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
    await().until(this::isWaiting);

    run(
        "select enter_stream(array['%s'::uuid], array['%s'::uuid], null)"
            .formatted(taken, workspace));
    run("commit");

    assertThat(put.join()).as("of a capture that exists").isEqualTo(200);
    assertThat(positions()).containsExactly(1L, 2L);
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

  private boolean isWaiting() {
    return service
            .query(
                "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
            .size()
        == 1;
  }

  private List<Long> positions() {
    return StreamSupport.stream(
            service
                .query(
                    "select position from stream where workspace_id = '%s' order by position"
                        .formatted(workspace))
                .spliterator(),
            false)
        .map(row -> row.getLong(0))
        .toList();
  }

  private void run(String sql) {
    Service.await(other.query(sql).execute());
  }
}
