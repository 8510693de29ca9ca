package io.egress.acceptance;

import static org.awaitility.Awaitility.await;

import io.egress.embedded.FreePort;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A real Prometheus, of the machine, that scrapes every second. */
final class PrometheusServer implements AutoCloseable {
  private static final Duration UP_MAX = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final int port;

  private PrometheusServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static boolean isInstalled() {
    return runs("prometheus", "--version") && runs("promtool", "--version");
  }

  static boolean runs(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException missing) {
      return false;
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  static PrometheusServer start(Path folder, Map<String, Integer> ports) throws IOException {
    int port = FreePort.choose();
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            ports.entrySet().stream()
                .map(job ->
                    "  - {job_name: %s, static_configs: [{targets: ['127.0.0.1:%d']}]}\n"
                        .formatted(job.getKey(), job.getValue()))
                .collect(
                    Collectors.joining(
                        "", "global: {scrape_interval: 1s}\nscrape_configs:\n", "")));
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    PrometheusServer server = new PrometheusServer(process, port);
    await().atMost(UP_MAX).ignoreExceptions().until(() -> server.get("/-/ready").contains("Ready"));
    return server;
  }

  /** The samples that the expression gives now; an expression it cannot read is an error. */
  JsonArray query(String expression) {
    JsonObject answer =
        new JsonObject(
            get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)));
    if (!"success".equals(answer.getString("status"))) {
      throw new AssertionError(expression + ": " + answer.getString("error"));
    }
    return answer.getJsonObject("data").getJsonArray("result");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private String get(String path) {
    try {
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
              BodyHandlers.ofString());
      return answer.body();
    } catch (IOException | InterruptedException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
