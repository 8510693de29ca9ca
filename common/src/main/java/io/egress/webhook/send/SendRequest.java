package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointUrl;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A webhook to send. The endpoint's id selects the event loop.
 *
 * @param signature of this endpoint; used only by its event loop
 * @param certificate null for that of the sender, if it has one
 * @param unixSeconds the start of the attempt
 * @param traceparent the header for receivers that continue traces
 * @param redaction keeps secrets of the endpoint out of what is stored of the response
 */
public record SendRequest(
    UUID endpointId,
    EndpointUrl url,
    Envelope envelope,
    CaptureState capture,
    WebhookSignature signature,
    CustomHeaders headers,
    @Nullable ClientCertificate certificate,
    long unixSeconds,
    @Nullable String traceparent,
    Redaction redaction)
    implements Outgoing {
  private static final CharSequence JSON = new AsciiString("application/json");
  private static final CharSequence GZIP = new AsciiString("gzip");
  private static final CharSequence EVENT_HEADER = new AsciiString("x-service-event");
  private static final CharSequence DELIVERY_HEADER = new AsciiString("x-service-delivery");
  private static final CharSequence POSITION_HEADER = new AsciiString("x-service-position");
  private static final CharSequence REVISION_HEADER = new AsciiString("x-service-revision");
  private static final CharSequence SIGNATURE_HEADER = new AsciiString("x-service-signature");
  private static final CharSequence STANDARD_ID_HEADER = new AsciiString("webhook-id");
  private static final CharSequence STANDARD_TIME_HEADER = new AsciiString("webhook-timestamp");
  private static final CharSequence STANDARD_SIGNATURE_HEADER =
      new AsciiString("webhook-signature");
  private static final CharSequence TRACE_HEADER = new AsciiString("traceparent");
  private static final CharSequence USER_AGENT = new AsciiString(UserAgent.VALUE);

  /** A test, without custom headers and a certificate, and not traced. */
  public SendRequest(
      UUID endpointId,
      EndpointUrl url,
      Envelope envelope,
      WebhookSignature signature,
      long unixSeconds) {
    this(
        endpointId,
        url,
        envelope,
        CaptureState.ofTest(envelope.deliveryId()),
        signature,
        CustomHeaders.NONE,
        null,
        unixSeconds,
        null,
        Redaction.NONE);
  }

  @Override
  public UUID id() {
    return envelope.deliveryId();
  }

  @Override
  public int answerBytesMax() {
    return Outcome.ANSWER_START_MAX_BYTES + redaction.charactersMax();
  }

  @Override
  public Buffer kept(Buffer answerStart) {
    return redaction.start(answerStart, Outcome.ANSWER_START_MAX_BYTES);
  }

  @Override
  public BodyBuffers.Body body(BodyBuffers bodies) {
    return bodies.of(envelope);
  }

  /** The same, with an access token. */
  SendRequest authorized(String token) {
    return new SendRequest(
        endpointId,
        url,
        envelope,
        capture,
        signature,
        headers.with(Map.of("authorization", Optional.of("Bearer " + token))),
        certificate,
        unixSeconds,
        traceparent,
        redaction.with(token));
  }

  @Override
  public SentRequest putHeaders(HttpClientRequest opened) {
    headers.values().forEach(opened::putHeader);
    if (traceparent != null) {
      opened.putHeader(TRACE_HEADER, traceparent);
    }
    String deliveryId = envelope.deliveryId().toString();
    String standardSignature = null;
    if (signature.hasStandardForm()) {
      standardSignature = signature.signByStandard(unixSeconds, envelope);
      opened
          .putHeader(STANDARD_ID_HEADER, deliveryId)
          .putHeader(STANDARD_TIME_HEADER, Long.toString(unixSeconds))
          .putHeader(STANDARD_SIGNATURE_HEADER, standardSignature);
    }
    String ownSignature = signature.sign(unixSeconds, envelope);
    opened
        .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
        .putHeader(HttpHeaders.USER_AGENT, USER_AGENT)
        .putHeader(EVENT_HEADER, envelope.event().word())
        .putHeader(DELIVERY_HEADER, deliveryId)
        .putHeader(POSITION_HEADER, Long.toString(capture.position()))
        .putHeader(SIGNATURE_HEADER, ownSignature);
    if (envelope.isCompressed()) {
      opened.putHeader(HttpHeaders.CONTENT_ENCODING, GZIP);
    }
    Long revision = capture.revision();
    if (revision != null) {
      opened.putHeader(REVISION_HEADER, Long.toString(revision));
    }
    return SentRequest.of(this, ownSignature, standardSignature);
  }
}
