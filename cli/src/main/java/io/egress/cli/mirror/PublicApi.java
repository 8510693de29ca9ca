package io.egress.cli.mirror;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.outage.Reason;
import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The public API as one reader sees it. Lost connections and answers that pass are tried again
 * after growing pauses, or after what Retry-After says.
 */
public final class PublicApi implements CaptureSource {
  /** With the pauses between them, about two minutes. */
  public static final int TRIES = 8;

  /** For a reader that is not in a hurry. */
  public static final int TRIES_WITHOUT_END = Integer.MAX_VALUE;

  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final Duration PAGE_MAX = Duration.ofMinutes(5);
  private static final Duration INVENTORY_MAX = Duration.ofMinutes(15);
  private static final int PAUSE_SECONDS_MAX = 60;
  private static final int RETRY_AFTER_SECONDS_MAX = 600;

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_MAX)
          .build();
  private final String base;
  private final String key;
  private final int triesMax;
  private final Consumer<String> notes;

  /**
   * @param base without a slash at the end
   * @param notes gets a line for each failure that is tried again
   */
  public PublicApi(String base, String key, int triesMax, Consumer<String> notes) {
    this.base = base;
    this.key = key;
    this.triesMax = triesMax;
    this.notes = notes;
  }

  @Override
  public Page page(MirrorFeed feed, @Nullable String after, int limit, Duration wait)
      throws OtherHistoryException {
    String path =
        feed.path()
            + "?limit="
            + limit
            + (wait.isZero() ? "" : "&wait=" + wait.toSeconds())
            + (after == null ? "" : "&after=" + URLEncoder.encode(after, UTF_8));
    Answer<Page> answer = call(path, PAGE_MAX.plus(wait), body -> Page.parse(body.readAllBytes()));
    if (answer.status() == 400 && answer.message().contains("another history")) {
      throw new OtherHistoryException();
    }
    return answer.orElseThrow();
  }

  @Override
  public Map<UUID, Optional<Instant>> inventory() {
    return call("/api/v1/inventory", INVENTORY_MAX, Inventory::parse).orElseThrow();
  }

  @Override
  public Optional<CaptureDocument> capture(UUID id) {
    Answer<CaptureDocument> answer =
        call(
            "/api/v1/captures/" + id, PAGE_MAX, body -> CaptureDocument.parse(body.readAllBytes()));
    return answer.status() == 404 || answer.status() == 410
        ? Optional.empty()
        : Optional.of(answer.orElseThrow());
  }

  private interface Parser<T> {
    /** Fails for a body that is not whole. */
    T parse(InputStream body) throws IOException;
  }

  /** What does not pass; {@code content} is null if the status is not 200. */
  private record Answer<T>(String url, int status, @Nullable T content, String message) {
    T orElseThrow() {
      if (content != null) {
        return content;
      }
      throw new MirrorException(
          status == 401
              ? "The service does not accept the API key in EGRESS_API_KEY: it is unknown, expired or deleted"
              : "%s answered %d%s; is --base-url the address of the service?"
                  .formatted(url, status, message.isEmpty() ? "" : " (" + message + ")"));
    }
  }

  private <T> Answer<T> call(String path, Duration timeout, Parser<T> parser) {
    for (int tried = 1; ; tried++) {
      long pauseSeconds = Math.min(PAUSE_SECONDS_MAX, 1L << Math.min(tried - 1, 6));
      String problem;
      try {
        HttpResponse<byte[]> response = send(path, timeout);
        int status = response.statusCode();
        if (status == 200) {
          requireJson(path, response);
          return new Answer<>(base + path, status, parser.parse(body(response)), "");
        }
        String message = message(body(response).readAllBytes());
        if (status != 429 && status < 500) {
          return new Answer<>(base + path, status, null, message);
        }
        problem =
            "%s answered %d%s"
                .formatted(base, status, message.isEmpty() ? "" : " (" + message + ")");
        pauseSeconds = retryAfter(response).orElse(pauseSeconds);
      } catch (IOException broken) {
        problem = "%s does not answer (%s)".formatted(base, reason(broken));
      }
      if (tried >= triesMax) {
        throw new MirrorException(
            problem + "; gave up after " + (tried == 1 ? "1 try" : tried + " tries"));
      }
      notes.accept("%s; trying again in %d s".formatted(problem, pauseSeconds));
      sleep(pauseSeconds);
    }
  }

  private HttpResponse<byte[]> send(String path, Duration timeout) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("authorization", "Bearer " + key)
            .header("accept", "application/json, application/x-ndjson;q=0.9")
            .header("accept-encoding", "gzip")
            .build();
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(request, BodyHandlers.ofByteArray());
    try {
      return answer.get(timeout.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      answer.cancel(true);
      throw new IOException("no answer within " + timeout.toMinutes() + " minutes", late);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof IOException broken
          ? broken
          : new IOException(failed.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }

  /** A page of a proxy or of another server is not tried again. */
  private void requireJson(String path, HttpResponse<byte[]> response) {
    String type = response.headers().firstValue("content-type").orElse("");
    if (!type.startsWith("application/json") && !type.startsWith("application/x-ndjson")) {
      throw new MirrorException(
          "%s is not an answer of the service; is --base-url its address?".formatted(base + path));
    }
  }

  private static InputStream body(HttpResponse<byte[]> response) throws IOException {
    InputStream body = new ByteArrayInputStream(response.body());
    boolean gzip =
        response.headers().firstValue("content-encoding").filter("gzip"::equals).isPresent();
    return gzip ? new GZIPInputStream(body) : body;
  }

  /** Of the body of an error; empty if it is somebody else's. */
  private static String message(byte[] body) {
    try {
      return new JsonObject(Buffer.buffer(body))
          .getJsonObject("error", new JsonObject())
          .getString("message", "");
    } catch (DecodeException | ClassCastException notOurs) {
      return "";
    }
  }

  private static Optional<Long> retryAfter(HttpResponse<?> response) {
    return response
        .headers()
        .firstValue("retry-after")
        .filter(seconds -> seconds.matches("\\d{1,9}"))
        .map(seconds -> Math.min(RETRY_AFTER_SECONDS_MAX, Long.parseLong(seconds)));
  }

  private static String reason(IOException broken) {
    if (broken instanceof ConnectException) {
      return broken.getCause() instanceof UnresolvedAddressException
          ? "host name not found"
          : "cannot connect";
    }
    return Reason.of(broken);
  }

  /** Readers that failed together come back at different times. */
  private static void sleep(long seconds) {
    try {
      TimeUnit.MILLISECONDS.sleep(seconds * ThreadLocalRandom.current().nextLong(1000, 1250));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
