package io.egress.webhook.send;

import io.egress.webhook.delivery.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request that was passed to a connection.
 *
 * @param signature the value of {@code x-service-signature}
 * @param headers those that are not the same in each attempt, as lines; the values of custom
 *     headers are withheld
 * @param length of the body, as it was sent
 * @param times how often its attempt sent it: again if a kept connection ended before an answer, or
 *     if the access token was rejected
 */
public record SentRequest(String signature, String headers, int length, int times) {
  private static final String EVENT = "x-service-event";
  private static final String STANDARD_SIGNATURE = "webhook-signature";
  private static final String ENCODING = "content-encoding";
  private static final Pattern TIME = Pattern.compile("^t=([0-9]{1,18})(,|$)");

  /** The second that was signed. */
  public long unixSeconds() {
    Matcher time = TIME.matcher(signature);
    if (!time.find()) {
      throw new IllegalStateException("a signature without t");
    }
    return Long.parseLong(time.group(1));
  }

  /** Whether the body was sent compressed. */
  public boolean isCompressed() {
    return HeaderLines.parse(headers).stream().anyMatch(header -> header.name().equals(ENCODING));
  }

  /** Whether one of the signatures in {@code other} is one of these. */
  public boolean sharesSignature(String other) {
    List<String> these = List.of(signature.split(",", -1));
    return Arrays.stream(other.split(",", -1))
        .anyMatch(each -> each.startsWith("v1=") && these.contains(each));
  }

  /**
   * All headers of the request, in no particular order on the wire.
   *
   * @param position null if it is not known
   * @param revision null if it is not known
   */
  public List<ShownHeader> allHeaders(
      UUID deliveryId, @Nullable Long position, @Nullable Long revision) {
    List<ShownHeader> all = new ArrayList<>();
    all.add(new ShownHeader("content-type", "application/json"));
    all.add(new ShownHeader("content-length", Integer.toString(length)));
    List<ShownHeader> own = HeaderLines.parse(headers);
    if (own.stream().noneMatch(header -> header.name().equals(EVENT))) {
      all.add(new ShownHeader(EVENT, Event.CAPTURE_PROCESSED.word()));
    }
    all.add(new ShownHeader("x-service-delivery", deliveryId.toString()));
    if (position != null) {
      all.add(new ShownHeader("x-service-position", Long.toString(position)));
    }
    if (revision != null) {
      all.add(new ShownHeader("x-service-revision", Long.toString(revision)));
    }
    all.add(new ShownHeader("x-service-signature", signature));
    for (ShownHeader header : own) {
      if (header.name().equals(STANDARD_SIGNATURE)) {
        all.add(new ShownHeader("webhook-id", deliveryId.toString()));
        all.add(new ShownHeader("webhook-timestamp", Long.toString(unixSeconds())));
      }
      all.add(header);
    }
    return all;
  }

  /** It was sent after this one, in the same attempt. */
  SentRequest after(SentRequest earlier) {
    return new SentRequest(signature, headers, length, earlier.times + times);
  }

  static SentRequest of(SendRequest request, String signature, @Nullable String standardSignature) {
    HeaderLines lines = new HeaderLines().add("user-agent", UserAgent.VALUE);
    if (request.envelope().event() != Event.CAPTURE_PROCESSED) {
      lines.add(EVENT, request.envelope().event().word());
    }
    if (request.envelope().isCompressed()) {
      lines.add(ENCODING, "gzip");
    }
    if (standardSignature != null) {
      lines.add(STANDARD_SIGNATURE, standardSignature);
    }
    if (request.traceparent() != null) {
      lines.add("traceparent", request.traceparent());
    }
    request.headers().values().keySet().forEach(lines::addName);
    return new SentRequest(signature, lines.toString(), request.envelope().length(), 1);
  }
}
