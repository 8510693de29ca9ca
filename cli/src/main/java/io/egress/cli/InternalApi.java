package io.egress.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** A client of the internal API, used by the command line and the demo. */
public final class InternalApi {
  private static final int NOT_FOUND = 404;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient http;
  private final String base;
  private final String token;
  private final @Nullable String actor;

  public InternalApi(String host, int port, String token) {
    this(plain(host, port), token, null);
  }

  /**
   * @param address where its paths begin
   * @param actor the name for the audit log
   */
  InternalApi(URI address, String token, @Nullable String actor) {
    HttpClient.Builder client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
    if (!"https".equals(address.getScheme())) {
      client.sslContext(withoutCertificates());
    }
    this.http = client.build();
    this.base = address.toString().replaceFirst("/+$", "") + "/internal/v1";
    this.token = token;
    this.actor = actor;
  }

  static URI plain(String host, int port) {
    return URI.create("http://" + host + ":" + port);
  }

  /** Reading the machine's certificates would take longer than most calls. */
  private static SSLContext withoutCertificates() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[0], null);
      return context;
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("this JVM has no TLS", missing);
    }
  }

  /**
   * Returns the response body. A status of 400 and above is thrown as an exception with the message
   * of the error body.
   */
  public JsonObject call(String method, String path, JsonObject body) {
    return answer(
        request(path)
            .header("content-type", "application/json")
            .method(
                method,
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body.encode())));
  }

  /** Like {@link #call}, but empty if there is no such thing. */
  Optional<JsonObject> find(String path) {
    HttpResponse<String> response = send(request(path).build(), BodyHandlers.ofString());
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    requireSuccess(response.statusCode(), response.body());
    return Optional.of(new JsonObject(response.body()));
  }

  /** Puts a capture in, and returns the report of the import. */
  JsonObject importLine(JsonObject capture) {
    return answer(
        request("/captures")
            .header("content-type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(capture.encode() + "\n")));
  }

  private JsonObject answer(HttpRequest.Builder request) {
    HttpResponse<String> response = send(request.build(), BodyHandlers.ofString());
    requireSuccess(response.statusCode(), response.body());
    return response.body().isEmpty() ? new JsonObject() : new JsonObject(response.body());
  }

  /** Reads a response of any length, one JSON object per line; fails like {@link #call}. */
  void eachLine(String path, Consumer<String> use) {
    HttpResponse<InputStream> response =
        send(
            request(path).header("accept", "application/x-ndjson").build(),
            BodyHandlers.ofInputStream());
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
      if (response.statusCode() >= 400) {
        requireSuccess(response.statusCode(), lines.readAllAsString());
      }
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        use.accept(line);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException("the answer of " + base + path + " was cut off", failure);
    }
  }

  private static void requireSuccess(int status, String body) {
    if (status >= 400) {
      JsonObject answer = body.isEmpty() ? new JsonObject() : new JsonObject(body);
      throw new IllegalStateException(
          answer.getJsonObject("error", new JsonObject()).getString("message", body));
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(TIMEOUT)
            .header("authorization", "Bearer " + token);
    // The client writes each character of a header as one byte.
    return actor == null
        ? request
        : request.header("x-egress-actor", new String(actor.getBytes(UTF_8), ISO_8859_1));
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request, handler);
    } catch (SSLException failure) {
      throw new UncheckedIOException(
          "no TLS connection to " + base + ": " + failure.getMessage(), failure);
    } catch (IOException failure) {
      throw new UncheckedIOException(
          base
              + " does not answer (set EGRESS_INTERNAL_HOST and EGRESS_INTERNAL_PORT, or --host and --port;"
              + " EGRESS_INTERNAL_URL or --internal-url behind TLS)",
          failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
