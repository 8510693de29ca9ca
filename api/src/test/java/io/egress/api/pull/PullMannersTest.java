package io.egress.api.pull;

import static io.egress.api.pull.PullAnswers.JSON;
import static io.egress.api.pull.PullAnswers.LIST;
import static io.egress.api.pull.PullAnswers.assertError;
import static io.egress.api.pull.PullAnswers.idsOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.egress.api.RawClient;
import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What all responses have in common. */
class PullMannersTest {
  private static FilledStream stream;

  @BeforeAll
  static void fill() {
    stream = FilledStream.fill();
  }

  @AfterAll
  static void close() {
    stream.service().close();
  }

  @Test
  void answers401WithoutAValidKey() throws Exception {
    for (String header :
        List.of(
            "Bearer service_" + "A".repeat(32),
            "Bearer " + stream.key().substring(0, stream.key().length() - 1),
            "Bearer " + stream.key() + "x",
            "Bearer ",
            "Basic " + stream.key(),
            stream.key())) {
      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(URI.create(stream.service().publicUrl(LIST + "?limit=0")))
                  .header("authorization", header));
      assertError(answer, 401, "API key");
      assertThat(answer.headers().firstValue("www-authenticate")).contains("Bearer");
    }
    assertError(
        Service.send(HttpRequest.newBuilder(URI.create(stream.service().publicUrl(LIST)))),
        401,
        "API key");
    assertError(
        Service.send(
            HttpRequest.newBuilder(URI.create(stream.service().publicUrl(LIST + "/no-uuid")))),
        401,
        "API key");
  }

  @Test
  void refusesMalformedIdsAndCapturesNotInTheStream() throws Exception {
    assertError(stream.service().pull(LIST + "/1-1-1-1-1", stream.key()), 400, "UUID");
    assertError(
        stream.service().pull(LIST + "/" + UUID.randomUUID(), stream.key()),
        404,
        "no such capture");
    assertError(
        stream
            .service()
            .pull(LIST + "/" + stream.ids().get(0), stream.service().mintKey(UUID.randomUUID())),
        404,
        "no such capture");
    UUID silent = UUID.randomUUID();
    stream.service().put(silent, Service.capture(stream.workspace()).put("segments", List.of()));
    assertError(stream.service().pull(LIST + "/" + silent, stream.key()), 404, "no such capture");
  }

  @Test
  void answersUnknownPathsAndMethodsInTheErrorFormat() throws Exception {
    assertError(stream.service().pull("/api/v2/captures", stream.key()), 404, "no such path");
    HttpResponse<String> answer =
        Service.send(
            HttpRequest.newBuilder(URI.create(stream.service().publicUrl(LIST)))
                .header("authorization", "Bearer " + stream.key())
                .DELETE());
    assertError(answer, 405, "GET");
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD, OPTIONS");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /api/v1/captures/%zz HTTP/1.1, 400",
    "GET /api/v1/captures?limit=%zz HTTP/1.1, 400",
    "GET /api/v1/captures/%00 HTTP/1.1, 400",
    "GET /api/v1/captures?after=LONG HTTP/1.1, 414",
    "GET /api/v1/captures HTTP/1.1\\nx-large: LONG, 431",
    "NONSENSE, 400",
    "GET * HTTP/1.1, 404",
    "GET ?limit=1 HTTP/1.1, 400"
  })
  void answersUnreadableRequestsInTheErrorFormat(String head, int status) throws Exception {
    String request =
        head.replace("LONG", "x".repeat(20_000)).replace("\\n", "\r\n")
            + "\r\nhost: x\r\nauthorization: Bearer "
            + stream.key()
            + "\r\nconnection: close\r\n\r\n";
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), stream.service().app.publicPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).matches("(?s)HTTP/1\\.[01] " + status + " .*");
      assertThat(answer)
          .contains("{\"error\":{\"message\":")
          .endsWith("\"status\":" + status + "}}");
    }
  }

  @Test
  void sendsTheSameBodyGzippedWhenAskedTo() throws Exception {
    HttpResponse<byte[]> zipped =
        Service.send(
            stream.request(LIST + "?limit=100").header("accept-encoding", "br, gzip"),
            BodyHandlers.ofByteArray());
    HttpResponse<byte[]> plain =
        Service.send(
            stream.request(LIST + "?limit=100").header("accept-encoding", "gzip;q=0"),
            BodyHandlers.ofByteArray());

    assertThat(zipped.headers().firstValue("content-encoding")).contains("gzip");
    assertThat(plain.headers().firstValue("content-encoding")).isEmpty();
    assertThat(zipped.headers().firstValue("vary")).contains("accept, accept-encoding");
    JsonNode unzipped =
        JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes());
    assertThat(idsOf(unzipped)).isEqualTo(idsOf(JSON.readTree(plain.body())));
  }

  @Test
  void answersHeadWithoutABody() {
    for (String path : List.of(LIST, LIST + "/" + stream.ids().get(0))) {
      HttpResponse<String> answer =
          Service.send(stream.request(path).method("HEAD", HttpRequest.BodyPublishers.noBody()));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEmpty();
      assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    }
  }

  @Test
  void answersOptionsWithTheAllowedMethods() {
    HttpResponse<String> answer =
        Service.send(stream.request(LIST).method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.headers().firstValue("allow")).contains("GET, HEAD, OPTIONS");
  }

  @Test
  void linksTheNextPageWhileThereIsOne() {
    URI page = URI.create(stream.service().publicUrl(LIST + "?limit=2"));
    int captures = 0;
    while (true) {
      HttpResponse<String> answer =
          Service.send(
              HttpRequest.newBuilder(page).header("authorization", "Bearer " + stream.key()));
      JsonObject body = new JsonObject(answer.body());
      Optional<String> link = answer.headers().firstValue("link");
      captures += body.getJsonArray("captures").size();
      assertThat(link.isPresent())
          .isEqualTo(body.getJsonObject("pageInfo").getBoolean("hasNextPage"));
      if (link.isEmpty()) {
        break;
      }
      page = page.resolve(link.get().replaceAll("<(.*)>; rel=\"next\"", "$1"));
    }
    assertThat(captures).isEqualTo(stream.ids().size());
  }

  @ParameterizedTest
  @CsvSource({
    "host: x\\nhost: y, host",
    "host: x\\nauthorization: Bearer a\\nauthorization: Bearer b, authorization",
    "host: x\\ntransfer-encoding: gzip, could not be read",
    "'host: x\\ntransfer-encoding: gzip, chunked', transfer-encoding",
    "host: x\\ntransfer-encoding: chunked\\ntransfer-encoding: identity, could not be read"
  })
  void refusesRequestsThatProxiesMayReadDifferently(String headers, String reason) {
    try (RawClient client =
        RawClient.to(stream.service().app.publicPort())
            .send("GET " + LIST + " HTTP/1.1\r\n" + headers.replace("\\n", "\r\n") + "\r\n\r\n")) {
      assertThat(client.rest())
          .startsWith("HTTP/1.1 400")
          .contains("connection: close", reason)
          .endsWith("\"status\":400}}");
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.5", "HTTP/0.9", "HTTQ/1.1", "HtTP/1.1"})
  void refusesUnknownHttpVersions(String version) {
    try (RawClient client =
        RawClient.to(stream.service().app.publicPort())
            .send("GET /health/live " + version + "\r\nhost: a\r\n\r\n")) {
      assertThat(client.rest())
          .startsWith("HTTP/1.1 400 Bad Request\r\n")
          .contains("\"status\":400", "connection: close");
    }
  }

  @Test
  void closesIdleConnections() {
    try (Service service = stream.service().twin(Map.of("idle", "200ms"));
        RawClient client = RawClient.to(service.app.publicPort())) {
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void answersHeadWhereverItAnswersGetRequests() {
    for (String path : List.of("/health/live", "/health/ready", "/api/v1/openapi.json")) {
      HttpResponse<String> answer =
          Service.send(stream.request(path).method("HEAD", HttpRequest.BodyPublishers.noBody()));
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.body()).isEmpty();
    }
  }

  @Test
  void addsSecurityHeadersToEveryResponse() {
    HttpResponse<String> answer = stream.service().pull(LIST, stream.key());
    assertThat(answer.headers().firstValue("cache-control")).contains("no-store");
    assertThat(answer.headers().firstValue("x-request-id")).isPresent();
    assertThat(answer.headers().firstValue("x-content-type-options")).contains("nosniff");
    assertThat(
            Service.send(stream.request("/nowhere").header("x-request-id", "trace-7"))
                .headers()
                .firstValue("x-request-id"))
        .contains("trace-7");
  }

  @Test
  void isLiveAndReadyOnBothListeners() {
    for (String url :
        List.of(stream.service().publicUrl("/health/"), stream.service().internalUrl("/health/"))) {
      for (String state : List.of("live", "ready")) {
        assertThat(Service.send(HttpRequest.newBuilder(URI.create(url + state))).statusCode())
            .isEqualTo(200);
      }
    }
  }
}
