package io.egress.dispatcher.send;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An answer whose status line has arrived, and the start of its body. A little more is read than is
 * kept, because reading a page to its end is cheaper than a new connection for the next delivery.
 */
final class Answer {
  private static final int MAX_READ_BYTES = 65_536;
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;
  private static final Pattern KEEP_ALIVE_TIMEOUT =
      Pattern.compile("\\btimeout\\s*=\\s*(\\d{1,6})");

  /** How much earlier than the receiver a connection is given up, so as not to race with it. */
  private static final Duration KEEP_ALIVE_MARGIN = Duration.ofSeconds(1);

  private final HttpClientResponse response;
  private final long arrivedNanos;
  private final Buffer start = Buffer.buffer();
  private long readBytes;

  Answer(HttpClientResponse response, long arrivedNanos) {
    this.response = response;
    this.arrivedNanos = arrivedNanos;
  }

  int status() {
    return response.statusCode();
  }

  long arrivedNanos() {
    return arrivedNanos;
  }

  Buffer start() {
    return start;
  }

  /** False where the body is longer than is worth reading. */
  boolean read(Buffer chunk) {
    int room = Outcome.ANSWER_START_MAX_BYTES - start.length();
    if (room > 0) {
      start.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
    }
    readBytes += chunk.length();
    return readBytes <= MAX_READ_BYTES;
  }

  /**
   * Whether the connection carries another request after this answer has ended. Where a status that
   * has no body announces one, its bytes would be read as the next answer.
   */
  boolean keepsConnection() {
    if (hasForbiddenBody()) {
      return false;
    }
    String connection = response.getHeader(HttpHeaders.CONNECTION);
    return response.version() == HttpVersion.HTTP_1_0
        ? "keep-alive".equalsIgnoreCase(connection)
        : !"close".equalsIgnoreCase(connection);
  }

  private boolean hasForbiddenBody() {
    if (status() != NO_CONTENT && status() != NOT_MODIFIED) {
      return false;
    }
    String length = response.getHeader(HttpHeaders.CONTENT_LENGTH);
    return (length != null && !length.equals("0"))
        || response.getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
  }

  long keepAliveNanos() {
    String header = response.getHeader("keep-alive");
    Matcher timeout = header == null ? null : KEEP_ALIVE_TIMEOUT.matcher(header);
    return timeout != null && timeout.find()
        ? Duration.ofSeconds(Long.parseLong(timeout.group(1))).minus(KEEP_ALIVE_MARGIN).toNanos()
        : Long.MAX_VALUE;
  }
}
