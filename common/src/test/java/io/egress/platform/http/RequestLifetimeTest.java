package io.egress.platform.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.platform.flow.Patience;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests whose handlers or clients do not do their part. */
class RequestLifetimeTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);
  private static final Duration FOR_EVER = Duration.ofHours(1);
  private static final RequestBody.Limits BODY =
      new RequestBody.Limits(1_000, new Patience.Terms(Duration.ofSeconds(30), 1));

  private static Vertx vertx;
  private static Listener listener;
  private static final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();

  /** What the handlers wait for. */
  private static volatile Promise<JsonObject> result = Promise.promise();

  private static final Queue<RequestLifetime> lifetimes = new ConcurrentLinkedQueue<>();
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeAll
  static void open() throws Exception {
    vertx = Vertx.vertx().exceptionHandler(thrown::add);
    Routes routes =
        new Routes()
            .get("/result", RequestLifetimeTest::answer)
            .put("/result", RequestLifetimeTest::answer)
            .post("/result", RequestLifetimeTest::answer)
            .get("/begun", RequestLifetimeTest::begin)
            .get("/patient", RequestLifetime.within(FOR_EVER, RequestLifetimeTest::answer))
            .put(
                "/body",
                exchange ->
                    new RequestBody(noted(exchange), BODY)
                        .read()
                        .onSuccess(body -> HttpExchange.end(exchange, body))
                        .onFailure(failure -> HttpExchange.fail(exchange, failure)));
    listener =
        Listener.open(
                vertx,
                ListenerSettings.internal("127.0.0.1", 0),
                1,
                new ListenerLimits(Duration.ZERO, FOR_EVER, FOR_EVER, ANSWER_MAX),
                new RequestLog(false),
                routes)
            .await(20, TimeUnit.SECONDS);
  }

  @BeforeEach
  void expectNothing() {
    result = Promise.promise();
    thrown.clear();
    lifetimes.clear();
  }

  @AfterEach
  void disconnect() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    assertThat(thrown).isEmpty();
  }

  @AfterAll
  static void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, '', could not answer in time, try again",
    "PUT, '', may have been carried out. Repeating it is safe",
    "POST, idempotency-key, may have been carried out. Repeating it is safe",
    "POST, x-other, repeat it with the same idempotency-key"
  })
  void answers503WhenTheHandlerDoesNot(String method, String header, String message)
      throws Exception {
    HttpRequest.Builder request = request("/result").method(method, BodyPublishers.noBody());
    HttpResponse<String> answer =
        send(header.isEmpty() ? request : request.header(header, "value"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("retry-after")).hasValue("1");
    JsonObject error = new JsonObject(answer.body()).getJsonObject("error");
    assertThat(error.getInteger("status")).isEqualTo(503);
    assertThat(error.getString("message")).contains(message);
  }

  @Test
  void dropsWhatTheHandlerAnswersLate() throws Exception {
    Socket socket = connect("GET /result HTTP/1.1\r\nhost: a\r\n\r\n");
    readUntil(socket, "could not answer in time, try again\",\"status\":503}}");

    result.complete(new JsonObject().put("late", true));
    send(socket, "GET /result HTTP/1.1\r\nhost: a\r\n\r\n");

    assertThat(readUntil(socket, "{\"late\":true}"))
        .as("nothing of the first request is written after its answer")
        .startsWith("HTTP/1.1 200 OK");
  }

  @Test
  void dropsALateFailure() throws Exception {
    assertThat(send(request("/result")).statusCode()).isEqualTo(503);

    result.fail(new TimeoutException("of the database"));
    assertThat(send(request("/result")).body()).contains("the database is unavailable");
  }

  @Test
  void cutsOffAResponseThatDoesNotGoOn() throws Exception {
    Socket socket = connect("GET /begun HTTP/1.1\r\nhost: a\r\n\r\n");

    assertThat(rest(socket)).contains("begun").doesNotContain("\r\n0\r\n");
  }

  @Test
  void cutsOffAResponseThatFailsAfterItsBeginning() throws Exception {
    Socket socket = connect("GET /begun HTTP/1.1\r\nhost: a\r\n\r\n");
    readUntil(socket, "begun");
    long begun = System.nanoTime();
    result.fail(new TimeoutException("of the database"));

    assertThat(rest(socket)).doesNotContain("\r\n0\r\n");
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(ANSWER_MAX);
  }

  @Test
  void doesNotCountTheTimeThatTheClientTakes() throws Exception {
    Socket socket = connect("PUT /body HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n1");
    await().until(() -> lifetimes.size() == 1);
    assertThat(send(request("/result")).statusCode()).as("the limit has passed").isEqualTo(503);
    assertThat(send(request("/result")).statusCode()).isEqualTo(503);
    send(socket, "2");

    assertThat(readUntil(socket, "\r\n\r\n12")).startsWith("HTTP/1.1 200");
  }

  @Test
  void grantsACallMoreTime() throws Exception {
    Socket socket = connect("GET /patient HTTP/1.1\r\nhost: a\r\n\r\n");
    assertThat(send(request("/result")).statusCode()).isEqualTo(503);
    result.complete(new JsonObject());

    assertThat(readUntil(socket, "{}")).startsWith("HTTP/1.1 200");
  }

  @Test
  void answersAHalfClosedClient() throws Exception {
    Socket socket =
        connect("GET /result HTTP/1.1\r\nhost: a\r\n\r\nGET /result HTTP/1.1\r\nhost: a\r\n\r\n");
    socket.shutdownOutput();
    await().until(() -> lifetimes.size() == 1);
    result.complete(new JsonObject().put("a", 1));

    assertThat(rest(socket).split("\\{\"a\":1}", -1)).as("both, and the end").hasSize(3);
  }

  @Test
  void endsAHalfClosedConnectionThatOwesNothing() throws Exception {
    result.complete(new JsonObject());
    Socket socket = connect("GET /result HTTP/1.1\r\nhost: a\r\n\r\n");
    readUntil(socket, "{}");
    socket.shutdownOutput();

    assertThat(rest(socket)).isEmpty();
  }

  @Test
  void endsARequestWhoseBodyWillNeverBeWhole() throws Exception {
    Socket socket = connect("PUT /body HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n1");
    await().until(() -> lifetimes.size() == 1);
    socket.shutdownOutput();

    assertThat(rest(socket)).isEmpty();
    await().until(() -> lifetimes.element().cutShort().isComplete());
  }

  @Test
  void endsWithAConnectionThatIsReset() throws Exception {
    Socket socket = connect("GET /patient HTTP/1.1\r\nhost: a\r\n\r\n".repeat(3));
    await().until(() -> lifetimes.size() == 1);
    socket.setSoLinger(true, 0);
    socket.close();

    await().until(() -> lifetimes.element().cutShort().isComplete());
    assertThat(lifetimes).as("what was pipelined does not begin").hasSize(1);
  }

  private static RoutingContext noted(RoutingContext exchange) {
    lifetimes.add(RequestLifetime.of(exchange));
    return exchange;
  }

  private static void answer(RoutingContext exchange) {
    noted(exchange);
    result
        .future()
        .onSuccess(json -> HttpExchange.sendJson(exchange, 200, json))
        .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private static void begin(RoutingContext exchange) {
    exchange.response().setChunked(true);
    Future<Void> begun = exchange.response().write(Buffer.buffer("begun"));
    begun.compose(_ -> result.future()).onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listener.port() + path));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  private Socket connect(String text) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
    sockets.add(socket);
    socket.setSoTimeout(20_000);
    send(socket, text);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static String readUntil(Socket socket, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.indexOf(end) < 0) {
      int next = socket.getInputStream().read();
      assertThat(next).as("the connection ended after: " + read).isNotNegative();
      read.append((char) next);
    }
    return read.toString();
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), US_ASCII);
  }
}
