package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.receiver.WebhookVerifier;
import io.egress.standalone.receiver.WebhookVerifier.Verdict;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code egress listen} beside a receiver that only this machine can reach. */
class ListenTest {
  private static final String SECRET = "whsec_of-the-one-who-writes-a-receiver";

  private final UUID workspace = UUID.randomUUID();
  private final List<Verdict> verdicts = new CopyOnWriteArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final Vertx vertx = Vertx.vertx();
  private BothRoles api;
  private HttpServer receiver;

  @BeforeEach
  void start() {
    api = BothRoles.apiAlone(BothRoles.environment());
    WebhookVerifier verifier = new WebhookVerifier(SECRET, InstantSource.system());
    receiver =
        RunningProcess.await(
            vertx
                .createHttpServer()
                .requestHandler(request ->
                    request
                        .body()
                        .onSuccess(body -> {
                          verdicts.add(verifier.verify(request.headers(), body));
                          int status = refused.getAndDecrement() > 0 ? 503 : 204;
                          request.response().setStatusCode(status).end();
                        }))
                .listen(0, "127.0.0.1"));
  }

  @AfterEach
  void stop() {
    api.close();
    RunningProcess.await(vertx.close());
  }

  @Test
  void postsExistingAndNewCaptures() throws Exception {
    String key = api.mintKey(workspace);
    Set<String> captures = new HashSet<>(api.finish(workspace, 3));

    try (CommandLine listen = listen(key, "--from-start", "--count", "5")) {
      listen.awaitOutput("following +http");
      captures.addAll(api.finish(workspace, 2));
      assertThat(listen.awaitExit()).as(listen.output()).isZero();
      assertThat(listen.output()).contains("  204  ").doesNotContain(SECRET);
    }

    assertThat(received()).isEqualTo(captures);
  }

  @Test
  @Tag("full")
  void postsAPageUntilItIsAccepted() throws Exception {
    refused.set(1);
    String key = api.mintKey(workspace);
    Set<String> captures = new HashSet<>(api.finish(workspace, 3));

    try (CommandLine listen = listen(key, "--pages", "--from-start", "--count", "1")) {
      assertThat(listen.awaitExit()).as(listen.output()).isZero();
      assertThat(listen.output()).contains("3 captures  503  ", "3 captures  204  ");
    }

    assertThat(verdicts).hasSize(2);
    JsonObject page = ((Verdict.Genuine) verdicts.getLast()).data();
    assertThat(page.getValue("after")).isNull();
    assertThat(
            page.getJsonArray("captures").stream().map(each -> ((JsonObject) each).getString("id")))
        .containsExactlyInAnyOrderElementsOf(captures);
  }

  @Test
  @Tag("full")
  void postsPagesOfChangesAfterThoseOfTheStream() throws Exception {
    String key = api.mintKey(workspace);
    List<String> captures = List.copyOf(api.finish(workspace, 3));
    api.call(
        "PUT",
        "/captures/" + captures.get(0),
        BothRoles.capture(workspace).put("title", "corrected"));
    api.call("DELETE", "/captures/" + captures.get(1), new JsonObject().put("reason", "asked"));

    try (CommandLine listen = listen(key, "--pages", "--changes", "--from-start", "--count", "2")) {
      assertThat(listen.awaitExit()).as(listen.output()).isZero();
      assertThat(listen.output()).contains("2 captures  204  ", "2 changes  204  ");
    }

    JsonObject page = ((Verdict.Genuine) verdicts.getLast()).data();
    JsonObject updated = page.getJsonArray("changes").getJsonObject(0);
    assertThat(updated.getString("id")).isEqualTo(captures.get(0));
    assertThat(updated.getJsonObject("capture").getString("title")).isEqualTo("corrected");
    assertThat(updated.getInteger("revision")).isEqualTo(2);
    JsonObject erased = page.getJsonArray("changes").getJsonObject(1);
    assertThat(erased.getString("id")).isEqualTo(captures.get(1));
    assertThat(erased.getString("reason")).isEqualTo("asked");
    assertThat(erased.getValue("capture")).isNull();
  }

  @Test
  @Tag("full")
  void postsOnlyNewCapturesByDefault() throws Exception {
    String key = api.mintKey(workspace);
    api.finish(workspace, 3);

    try (CommandLine listen = listen(key, "--count", "2")) {
      listen.awaitOutput("following +http");
      Set<String> later = api.finish(workspace, 2);
      assertThat(listen.awaitExit()).as(listen.output()).isZero();
      assertThat(received()).isEqualTo(later);
    }
  }

  @Test
  void reportsWhyItCannotListen() throws Exception {
    try (CommandLine listen = listen("service_" + "a".repeat(32))) {
      assertThat(listen.awaitExit()).isEqualTo(1);
      assertThat(listen.output()).contains("API key").doesNotContain("Exception");
    }
  }

  private Set<String> received() {
    Set<String> captures = new HashSet<>();
    for (Verdict verdict : verdicts) {
      assertThat(verdict).isInstanceOf(Verdict.Genuine.class);
      captures.add(((Verdict.Genuine) verdict).data().getString("id"));
    }
    return captures;
  }

  private CommandLine listen(String key, String... options) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "listen",
                "--url",
                api.publicUrl("").toString(),
                "--key",
                key,
                "--secret",
                SECRET,
                "--forward-to",
                "http://127.0.0.1:" + receiver.actualPort() + "/hook"));
    arguments.addAll(List.of(options));
    return CommandLine.start(Map.of(), arguments.toArray(String[]::new));
  }
}
