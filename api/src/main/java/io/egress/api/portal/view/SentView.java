package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.platform.json.UtcInstant;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.SentRequest;
import io.egress.webhook.send.ShownHeader;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The request of an attempt.
 *
 * @param revision the capture's; null if there is none, as in a test
 * @param times how often it was sent
 * @param headers one a line; withheld values are marked
 * @param curl a command that sends the same headers; empty if the URL is not known
 * @param bodyKnown whether the body can be downloaded
 */
public record SentView(
    String emittedAt,
    @Nullable Long revision,
    int length,
    int times,
    String signature,
    String headers,
    String curl,
    boolean bodyKnown) {
  private static final String WITHHELD = "(withheld)";

  public SentView {
    requireNonNull(emittedAt, "emittedAt is null");
    requireNonNull(signature, "signature is null");
    requireNonNull(headers, "headers is null");
    requireNonNull(curl, "curl is null");
  }

  /** Null if nothing was sent. {@code file} is the name of the downloaded body. */
  static @Nullable SentView of(
      MadeAttempt attempt,
      UUID deliveryId,
      long position,
      String url,
      String file,
      boolean bodyKnown) {
    SentRequest request = attempt.exchanged().request();
    if (request == null) {
      return null;
    }
    List<ShownHeader> headers = request.allHeaders(deliveryId, position, attempt.revision());
    return new SentView(
        UtcInstant.format(attempt.startedAt()),
        attempt.revision(),
        request.length(),
        request.times(),
        request.signature(),
        lines(headers),
        url.isEmpty() ? "" : curl(url, headers, file),
        bodyKnown);
  }

  /** One a line. */
  static String lines(List<ShownHeader> headers) {
    return headers.stream().map(SentView::line).collect(Collectors.joining("\n"));
  }

  private static String line(ShownHeader header) {
    return header.name() + ": " + (header.value() == null ? WITHHELD : header.value());
  }

  /** curl computes the length itself. */
  private static String curl(String url, List<ShownHeader> headers, String file) {
    StringBuilder command = new StringBuilder("curl -sS -X POST ").append(quoted(url));
    for (ShownHeader header : headers) {
      if (!header.name().equals("content-length")) {
        command.append(" \\\n  -H ").append(quoted(line(header)));
      }
    }
    return command.append(" \\\n  --data-binary @").append(file).toString();
  }

  /** For a POSIX shell. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
