package io.egress.api.admin.erasures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.sqlclient.SqlConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the answer to a legal hold on, nothing is erased, not even what was about to be. */
class LegalHoldTest {
  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;
  private final Service service = Service.start();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private List<UUID> ids;
  private SqlConnection other;

  @BeforeEach
  void enter() {
    ids = service.enter(workspace, 3);
    other = Service.await(service.database.getConnection());
  }

  @AfterEach
  void stop() {
    execute("rollback");
    Service.await(other.close());
    threads.close();
    service.close();
  }

  @Test
  void aHoldWaitsForWhatIsBeingErasedAndCapturesDoNot() {
    execute("begin");
    execute("select erase_capture('%s', null, 'a chunk')".formatted(ids.get(0)));
    CompletableFuture<HttpResponse<String>> hold = call("PATCH", path, "{\"legal_hold\":true}");

    await().until(() -> hold.isDone() || waiting() > 0);
    assertThat(hold).isNotDone();
    assertThat(service.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
        .isEqualTo(201);
    assertThat(hold).isNotDone();
    execute("commit");
    assertThat(hold.join().statusCode()).isEqualTo(200);
    assertThat(erased()).isEqualTo(1);
  }

  @Test
  void retentionWaitsForAHoldThatIsBeingMade() {
    beginHold();
    CompletableFuture<Void> retention =
        CompletableFuture.runAsync(
            () -> new BackgroundErasure(service.database, Duration.ofMillis(1)).run(), threads);

    await().until(() -> retention.isDone() || waiting() > 0);
    execute("commit");
    retention.join();

    assertThat(erased()).isZero();
  }

  @Test
  void callsWaitForAHoldThatIsBeingMade() {
    for (String erasing :
        List.of("/internal/v1/captures/" + ids.get(0), path + "/members/" + UUID.randomUUID())) {
      beginHold();
      CompletableFuture<HttpResponse<String>> call =
          call("DELETE", erasing, "{\"reason\":\"late\"}");

      await().until(() -> call.isDone() || waiting() > 0);
      execute("commit");
      assertThat(call.join().statusCode()).as(erasing).isEqualTo(409);
      execute("update workspaces set legal_hold = false");
    }
    assertThat(erased()).isZero();
  }

  /** As the call does. */
  private void beginHold() {
    execute("begin");
    execute("select from workspaces where id = '%s' for update".formatted(workspace));
    execute("update workspaces set legal_hold = true where id = '%s'".formatted(workspace));
  }

  private CompletableFuture<HttpResponse<String>> call(String method, String of, String body) {
    return CompletableFuture.supplyAsync(() -> service.internal(method, of, body), threads);
  }

  private void execute(String sql) {
    Service.await(other.query(sql).execute());
  }

  private int waiting() {
    return service
        .query(
            """
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
            """)
        .size();
  }

  private int erased() {
    return service.query("select from erasures where workspace_id = '" + workspace + "'").size();
  }
}
