package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that are not what a reader hopes for, of a stand-in of the service. */
class PublicApiTest {
  private static final String EMPTY =
      "{\"captures\":[],\"pageInfo\":{\"endCursor\":null,\"hasNextPage\":false}}";
  private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

  private interface Answer {
    void send(HttpExchange exchange) throws IOException;
  }

  private final Queue<Answer> answers = new ArrayDeque<>();
  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final List<String> notes = new ArrayList<>();
  private HttpServer server;
  private PublicApi api;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          calls.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("authorization"));
          try (exchange) {
            answers.remove().send(exchange);
          }
        });
    server.start();
    api = api(2);
  }

  private PublicApi api(int tries) {
    return new PublicApi(
        "http://127.0.0.1:" + server.getAddress().getPort(), "service_key", tries, notes::add);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void readsPagesByteForByte() throws Exception {
    String document =
        "{ \"id\":\"%s\", \"workspace_id\":\"%s\",\"title\":\"“今” }]\",\"started_at\":\"2026-01-31T08:30:00Z\",\"emitted_at\":\"2026-01-31T08:30:00Z\"}"
            .formatted(ID, ID);
    answers.add(
        json(
            200,
            "{\"changes\":[{\"id\":\"%s\",\"change\":\"updated\",\"capture\":%s},{\"id\":\"%s\",\"change\":\"erased\",\"capture\":null}],\"pageInfo\":{\"endCursor\":\"a/b\",\"hasNextPage\":true},\"later\":{\"x\":[1]}}"
                .formatted(ID, document, ID)));

    Page page = api.page(MirrorFeed.CHANGES, "c+d", 100, Duration.ofSeconds(5));

    assertThat(calls)
        .containsExactly("/api/v1/changes?limit=100&wait=5&after=c%2Bd Bearer service_key");
    assertThat(page.entries()).hasSize(2);
    assertThat(page.entries().get(0).document())
        .satisfies(read -> assertThat(read.bytes().toString()).isEqualTo(document));
    assertThat(page.entries().get(1).document()).isNull();
    assertThat(page.endCursor()).isEqualTo("a/b");
    assertThat(page.hasNext()).isTrue();
  }

  @Test
  void triesAgainAfterWhatPasses() throws Exception {
    answers.add(exchange -> {
      exchange.getResponseHeaders().add("retry-after", "0");
      json(503, "{\"error\":{\"message\":\"the database is unavailable, try again\"}}")
          .send(exchange);
    });
    answers.add(gzip(EMPTY));

    assertThat(page().entries()).isEmpty();
    assertThat(notes)
        .singleElement()
        .asString()
        .endsWith(" answered 503 (the database is unavailable, try again); trying again in 0 s");
  }

  @Test
  void whatBreaksOffIsReadAgain() throws Exception {
    for (Answer broken :
        List.of(
            cutOff(EMPTY),
            json(200, EMPTY.substring(0, 30)),
            json(200, "{}"),
            json(200, EMPTY.replace("false", "true")))) {
      answers.add(broken);
      answers.add(json(200, EMPTY));
      assertThat(page().entries()).isEmpty();
    }
    assertThat(notes).hasSize(4).allMatch(note -> note.endsWith("trying again in 1 s"));
  }

  @Test
  void givesUpAfterSomeTries() {
    server.stop(0);
    assertThatThrownBy(this::page)
        .isInstanceOf(MirrorException.class)
        .hasMessageEndingWith(" does not answer (cannot connect); gave up after 2 tries");
  }

  @Test
  void namesAHostThatIsNotFound() {
    PublicApi nowhere = new PublicApi("http://nowhere.invalid", "service_key", 1, notes::add);
    assertThatThrownBy(nowhere::inventory)
        .hasMessageEndingWith(" does not answer (host name not found); gave up after 1 try");
  }

  @Test
  void saysInOneSentenceWhatDoesNotPass() {
    assertThat(failure(json(401, "{\"error\":{\"message\":\"unknown key\"}}")))
        .isEqualTo(
            "The service does not accept the API key in EGRESS_API_KEY: it is unknown, expired or deleted");
    assertThat(failure(json(404, "<html>")))
        .endsWith(
            "/api/v1/captures?limit=100 answered 404; is --base-url the address of the service?");
    assertThat(
            failure(exchange -> {
              exchange.getResponseHeaders().add("content-type", "text/html");
              exchange.sendResponseHeaders(200, 0);
            }))
        .endsWith(" is not an answer of the service; is --base-url its address?");
    assertThat(notes).isEmpty();
  }

  @Test
  void recognizesAnotherHistory() {
    answers.add(
        json(
            400, "{\"error\":{\"message\":\"after is a cursor of another history: it belongs\"}}"));
    assertThatThrownBy(this::page).isInstanceOf(CaptureSource.OtherHistoryException.class);
  }

  @Test
  void anInventoryWithoutItsEndIsRefused() {
    String line = "{\"id\":\"" + ID + "\",\"position\":1,\"changed_at\":%s}\n";
    String whole =
        line.formatted("\"2026-01-31T08:30:00.000Z\"")
            + "{\"captures\":1,\"pageInfo\":{\"endCursor\":\"a\"}}\n";
    answers.add(json(200, whole));
    assertThat(api.inventory())
        .isEqualTo(Map.of(UUID.fromString(ID), Optional.of(Instant.parse("2026-01-31T08:30:00Z"))));

    for (String broken :
        List.of(
            "",
            line.formatted("null"),
            whole.substring(0, 20),
            whole.replace(":1,\"page", ":2,\"page"))) {
      answers.add(json(200, broken));
      assertThatThrownBy(() -> api(1).inventory())
          .as(broken)
          .isInstanceOf(MirrorException.class)
          .hasMessageContaining("(the inventory broke off)");
    }
  }

  @Test
  void anErasedCaptureIsNone() {
    answers.add(json(410, "{\"error\":{\"message\":\"the capture was erased\"}}"));
    assertThat(api.capture(UUID.fromString(ID))).isEmpty();
  }

  private Page page() throws CaptureSource.OtherHistoryException {
    return api.page(MirrorFeed.STREAM, null, 100, Duration.ZERO);
  }

  private @Nullable String failure(Answer answer) {
    answers.add(answer);
    try {
      return "no failure but " + page();
    } catch (MirrorException expected) {
      return expected.getMessage();
    } catch (CaptureSource.OtherHistoryException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private static Answer json(int status, String body) {
    return exchange -> {
      exchange.getResponseHeaders().add("content-type", "application/json");
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  private static Answer gzip(String body) {
    return exchange -> {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (OutputStream compressed = new GZIPOutputStream(bytes)) {
        compressed.write(body.getBytes(UTF_8));
      }
      exchange.getResponseHeaders().add("content-type", "application/json");
      exchange.getResponseHeaders().add("content-encoding", "gzip");
      exchange.sendResponseHeaders(200, bytes.size());
      bytes.writeTo(exchange.getResponseBody());
    };
  }

  private static Answer cutOff(String body) {
    return exchange -> {
      exchange.getResponseHeaders().add("content-type", "application/json");
      exchange.sendResponseHeaders(200, body.length());
      exchange.getResponseBody().write(body.getBytes(UTF_8), 0, 10);
      exchange.getResponseBody().flush();
    };
  }
}
