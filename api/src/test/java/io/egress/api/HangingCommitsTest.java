package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.platform.http.RequestLifetime;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** PostgreSQL reads, and its commits wait for a synchronous standby that is gone. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class HangingCommitsTest {
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** Nobody waits for commits that are known to hang. */
  private static final Duration AT_ONCE = RequestLifetime.ANSWER_MAX.dividedBy(2);

  private static final Duration KNOWN_WITHIN = Duration.ofSeconds(15);
  private static final Duration SEVERAL_CHECKS = Duration.ofSeconds(8);

  private static final String COMMITS_OF_CAPTURES =
      """
      select a.wait_event from pg_stat_activity a where a.query = 'COMMIT' and a.state = 'active'
        and exists (select from pg_locks l where l.pid = a.pid and l.relation = 'captures'::regclass)
      """;

  private record Answered(HttpResponse<String> answer, Duration after) {}

  private final UUID workspace = UUID.randomUUID();
  private PostgresServer postgres;
  private Service service;
  private String key;
  private List<UUID> entered;

  @BeforeEach
  void start(@TempDir Path folder) {
    postgres = PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED);
    service = Service.start(Map.of("EGRESS_DATABASE_URL", postgres.databaseUrl()));
    key = service.mintKey(workspace);
    entered = service.enter(workspace, 2);
  }

  @AfterEach
  void stop() {
    reload("reset synchronous_standby_names");
    service.close();
    postgres.close();
  }

  @Test
  void pullsAreServedWhileNothingCanBeWritten() {
    service.query("update documents set renderer = 0");

    reload("set synchronous_standby_names = 'nobody'");

    CompletableFuture<Answered> early =
        CompletableFuture.supplyAsync(() -> firstRefused(service, workspace));
    assertPullsAreServed();
    await().atMost(KNOWN_WITHIN).until(() -> database().equals("down"));
    await()
        .during(SEVERAL_CHECKS)
        .untilAsserted(() -> {
          assertUnavailable(timed(() -> put(service, workspace)), AT_ONCE);
          assertPullsAreServed();
          assertThat(database()).isEqualTo("down");
        });
    assertUnavailable(early.join(), RequestLifetime.ANSWER_MAX.plus(SLACK));
    await()
        .atMost(KNOWN_WITHIN)
        .until(
            () -> service.internal("GET", "/internal/v1/database", "").body().contains("SyncRep"));

    reload("reset synchronous_standby_names");

    await()
        .atMost(KNOWN_WITHIN)
        .until(() -> database().equals("up") && put(service, workspace).statusCode() == 201);
    assertPullsAreServed();
  }

  @Test
  void capturesOfDifferentWorkspacesAreCommittedTogether() {
    AtomicBoolean over = new AtomicBoolean();
    try (Service twin = service.twin()) {
      reload("set synchronous_standby_names = 'nobody'");

      CompletableFuture<Void> puts = CompletableFuture.runAsync(() -> putUntil(over, service));
      CompletableFuture<Void> others = CompletableFuture.runAsync(() -> putUntil(over, twin));

      await()
          .atMost(KNOWN_WITHIN)
          .untilAsserted(() ->
              assertThat(service.query(COMMITS_OF_CAPTURES))
                  .extracting(row -> row.getString("wait_event"))
                  .containsExactly("SyncRep", "SyncRep"));

      over.set(true);
      reload("reset synchronous_standby_names");
      CompletableFuture.allOf(puts, others).join();
    } finally {
      over.set(true);
    }
  }

  private static void putUntil(AtomicBoolean over, Service service) {
    UUID workspace = UUID.randomUUID();
    while (!over.get()) {
      put(service, workspace);
    }
  }

  private void assertPullsAreServed() {
    Answered page = timed(() -> service.pull("/api/v1/captures", key));
    assertThat(page.answer.statusCode()).as(page.answer.body()).isEqualTo(200);
    assertThat(page.answer.body()).contains(entered.get(0).toString(), entered.get(1).toString());
    assertThat(page.after).isLessThan(AT_ONCE);
    Answered one = timed(() -> service.pull("/api/v1/captures/" + entered.get(0), key));
    assertThat(one.answer.statusCode()).as(one.answer.body()).isEqualTo(200);
    assertThat(one.after).isLessThan(AT_ONCE);
  }

  private static void assertUnavailable(Answered put, Duration within) {
    assertThat(put.answer.statusCode()).as(put.answer.body()).isEqualTo(503);
    assertThat(put.answer.headers().firstValue("retry-after")).isPresent();
    assertThat(put.after).isLessThan(within);
  }

  /** The server takes a moment to apply its new configuration. */
  private static Answered firstRefused(Service service, UUID workspace) {
    Answered put;
    do {
      put = timed(() -> put(service, workspace));
    } while (put.answer.statusCode() == 201);
    return put;
  }

  private static HttpResponse<String> put(Service service, UUID workspace) {
    return service.put(UUID.randomUUID(), Service.capture(workspace));
  }

  private String database() {
    String answer =
        Service.send(HttpRequest.newBuilder(URI.create(service.publicUrl("/health/ready")))).body();
    return new JsonObject(answer).getJsonObject("checks").getString("database");
  }

  private void reload(String change) {
    service.query("alter system " + change);
    service.query("select pg_reload_conf()");
  }

  private static Answered timed(Supplier<HttpResponse<String>> call) {
    long asked = System.nanoTime();
    HttpResponse<String> answer = call.get();
    return new Answered(answer, Duration.ofNanos(System.nanoTime() - asked));
  }
}
