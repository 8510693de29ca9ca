package io.egress.cli;

import static java.util.Objects.requireNonNull;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The internal API, called from a terminal or by the demo. */
public final class InternalApi {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
  private final String base;
  private final String token;

  public InternalApi(String host, int port, String token) {
    this.base = "http://" + requireNonNull(host, "host is null") + ":" + port + "/internal/v1";
    this.token = requireNonNull(token, "token is null");
  }

  /** The answer's body; a status of 400 and above is thrown with the message of its error body. */
  public JsonObject call(String method, String path, JsonObject body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(TIMEOUT)
            .header("authorization", "Bearer " + token)
            .header("content-type", "application/json")
            .method(
                method,
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode()))
            .build();
    HttpResponse<String> response = send(request);
    JsonObject answer =
        response.body().isEmpty() ? new JsonObject() : new JsonObject(response.body());
    if (response.statusCode() >= 400) {
      throw new IllegalStateException(
          answer.getJsonObject("error", new JsonObject()).getString("message", response.body()));
    }
    return answer;
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new UncheckedIOException(
          base
              + " does not answer (set EGRESS_INTERNAL_HOST and EGRESS_INTERNAL_PORT, or --host and --port)",
          failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
