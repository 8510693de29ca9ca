package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.egress.api.ApiMain;
import io.egress.cli.InternalApi;
import io.egress.platform.database.Migrations;
import io.egress.standalone.run.ChildProcess;
import io.egress.testing.SharedBackends;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A rename that makes many large documents stale, and clients that pull all of them at once. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class LargeStaleDocumentsTest {
  private static final String TOKEN = "test-token-of-the-internal-api";
  private static final int CAPTURES = 8;
  private static final int TEXT_CHARS = 8 << 20;
  private static final int CLIENTS = 4;

  @Test
  void areRenderedWithinTheDefaultHeap(@TempDir Path folder) throws Exception {
    try (ChildProcess api =
        ChildProcess.start(
            folder,
            "api",
            new ChildProcess.Command(
                List.of("-Xmx512m"), ApiMain.class.getName(), List.of(), environment()))) {
      Matcher up = api.await("api is up: public port (\\d+), internal port (\\d+)");
      InternalApi internal = new InternalApi("127.0.0.1", Integer.parseInt(up.group(2)), TOKEN);
      UUID workspace = UUID.randomUUID();
      UUID device = UUID.randomUUID();
      String text = "a word or two ".repeat(TEXT_CHARS / 14);
      for (int i = 0; i < CAPTURES; i++) {
        internal.call("PUT", "/captures/" + UUID.randomUUID(), capture(workspace, device, text));
      }
      String key =
          internal
              .call(
                  "POST",
                  "/workspaces/" + workspace + "/api-keys",
                  new JsonObject().put("name", "test"))
              .getString("key");
      String url = "http://127.0.0.1:" + up.group(1) + "/api/v1/captures";
      await().until(() -> named(pull(url, key), "Room 1") == CAPTURES);
      internal.call(
          "PUT",
          "/devices/" + device,
          new JsonObject().put("workspace_id", workspace.toString()).put("name", "Room Atlas"));

      List<CompletableFuture<byte[]>> pulls = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        pulls.add(CompletableFuture.supplyAsync(() -> pullUntilWhole(url, key)));
      }
      for (CompletableFuture<byte[]> pulled : pulls) {
        assertThat(named(pulled.join(), "Room Atlas")).as(api.lastWords()).isEqualTo(CAPTURES);
      }
      assertThat(api.lastWords()).doesNotContain("OutOfMemoryError");
    }
  }

  /** On a busy machine a page may take longer than its deadline: it is cut off, and read again. */
  private static byte[] pullUntilWhole(String url, String key) {
    return await()
        .atMost(Duration.ofMinutes(2))
        .ignoreException(IllegalStateException.class)
        .until(() -> pull(url, key), page -> page.length > 0);
  }

  /** A page, compressed. */
  private static byte[] pull(String url, String key) {
    try {
      HttpResponse<byte[]> page =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(url + "?limit=100"))
                      .header("authorization", "Bearer " + key)
                      .header("accept-encoding", "gzip")
                      .build(),
                  BodyHandlers.ofByteArray());
      assertThat(page.statusCode()).isEqualTo(200);
      return page.body();
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** How many of a page's captures have a device of this name. */
  private static int named(byte[] page, String device) throws IOException {
    int count = 0;
    try (JsonParser json =
        new JsonFactory().createParser(new GZIPInputStream(new ByteArrayInputStream(page)))) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.VALUE_STRING
            && "name".equals(json.currentName())
            && device.equals(json.getText())) {
          count++;
        }
      }
    }
    return count;
  }

  private static JsonObject capture(UUID workspace, UUID device, String text) {
    return new JsonObject()
        .put("workspace_id", workspace.toString())
        .put("mode", "ambient")
        .put("started_at", "2026-01-02T03:04:05Z")
        .put("device", new JsonObject().put("id", device.toString()).put("name", "Room 1"))
        .put("participants", new JsonArray())
        .put(
            "segments",
            new JsonArray()
                .add(new JsonObject().put("start_ms", 0).put("end_ms", 900).put("text", text)));
  }

  private static Map<String, String> environment() {
    SharedBackends backends = SharedBackends.get();
    return Map.of(
        "EGRESS_DATABASE_URL",
        backends.freshDatabase(Migrations::run),
        "EGRESS_KAFKA_BOOTSTRAP",
        backends.kafkaBootstrap(),
        "EGRESS_TOPIC_PREFIX",
        backends.freshPrefix(),
        "EGRESS_INTERNAL_TOKEN",
        TOKEN,
        "EGRESS_PUBLIC_HOST",
        "127.0.0.1",
        "EGRESS_PUBLIC_PORT",
        "0",
        "EGRESS_INTERNAL_PORT",
        "0");
  }
}
