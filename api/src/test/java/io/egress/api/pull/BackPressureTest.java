package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients that do not read use no more than the memory budget, and are disconnected in the end. */
@Isolated("its clients have little time to read")
class BackPressureTest {
  private static final int CAPTURES = 40;
  private static final int TEXT_CHARS = 400_000;

  private static final UUID WORKSPACE = UUID.randomUUID();

  private static Service service;
  private static String key;

  @BeforeAll
  static void fill() {
    service =
        Service.start(Map.of("pull-memory", "4MiB", "pull-stall", "300ms", "memory-wait", "4s"));
    key = service.mintKey(WORKSPACE);
    for (int i = 0; i < CAPTURES; i++) {
      assertThat(service.put(UUID.randomUUID(), noise(i)).statusCode()).isEqualTo(201);
    }
    await().until(() -> service.query("select 1 from stream").size() == CAPTURES);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource({"?limit=100, application/json", "'', application/x-ndjson"})
  @Tag("full")
  void servesReadersAndDisconnectsClientsThatDoNotRead(String query, String accept)
      throws IOException {
    List<Socket> stalled = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      stalled.add(ask(query, accept));
    }

    HttpResponse<byte[]> whole =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl("/api/v1/captures" + query)))
                .header("authorization", "Bearer " + key)
                .header("accept", accept),
            BodyHandlers.ofByteArray());

    String body = new String(whole.body(), StandardCharsets.UTF_8);
    if (accept.endsWith("x-ndjson")) {
      assertThat(body.lines()).hasSize(CAPTURES + 1);
    } else {
      assertThat(new JsonObject(body).getJsonArray("captures")).hasSize(CAPTURES);
    }
    for (Socket socket : stalled) {
      await().until(() -> isCutOff(socket));
      socket.close();
    }
  }

  /**
   * Asked by writing: reading would turn the client into one that takes its page. A connection that
   * the server closed answers what is written with a reset, and the next write fails.
   */
  private static boolean isCutOff(Socket socket) {
    try {
      socket.getOutputStream().write('\n');
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  private Socket ask(String query, String accept) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.app.publicPort());
    socket
        .getOutputStream()
        .write(
            ("GET /api/v1/captures"
                    + query
                    + " HTTP/1.1\r\nhost: localhost\r\naccept: "
                    + accept
                    + "\r\nauthorization: Bearer "
                    + key
                    + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static JsonObject noise(long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    while (text.length() < TEXT_CHARS) {
      text.append(Long.toString(random.nextLong(), 36));
    }
    return Service.capture(WORKSPACE)
        .put(
            "segments",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("start_ms", 0)
                        .put("end_ms", 1)
                        .put("text", text.toString())));
  }
}
