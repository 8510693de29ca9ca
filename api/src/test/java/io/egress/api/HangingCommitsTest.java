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
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** PostgreSQL reads, and its commits wait for a synchronous standby that is gone. */
@Tag("full")
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class HangingCommitsTest {
  private static final Duration SLACK = Duration.ofSeconds(4);
  private static final Duration AT_ONCE = Duration.ofSeconds(3);
  private static final Duration KNOWN_WITHIN = Duration.ofSeconds(15);
  private static final Duration SEVERAL_CHECKS = Duration.ofSeconds(8);

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

    CompletableFuture<Answered> early = CompletableFuture.supplyAsync(this::firstRefused);
    assertPullsAreServed();
    await().atMost(KNOWN_WITHIN).until(() -> database().equals("down"));
    await()
        .during(SEVERAL_CHECKS)
        .atMost(KNOWN_WITHIN)
        .untilAsserted(
            () -> {
              assertUnavailable(timed(this::put), AT_ONCE);
              assertPullsAreServed();
              assertThat(database()).isEqualTo("down");
            });
    assertUnavailable(early.join(), RequestLifetime.ANSWER_MAX.plus(SLACK));
    await()
        .atMost(KNOWN_WITHIN)
        .until(
            () -> service.internal("GET", "/internal/v1/database", "").body().contains("SyncRep"));

    reload("reset synchronous_standby_names");

    await().atMost(KNOWN_WITHIN).until(() -> database().equals("up") && put().statusCode() == 201);
    assertPullsAreServed();
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
  private Answered firstRefused() {
    Answered put = timed(this::put);
    while (put.answer.statusCode() == 201) {
      put = timed(this::put);
    }
    return put;
  }

  private HttpResponse<String> put() {
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
