package io.egress.webhook.send;

import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.OAuth2Client;
import io.egress.webhook.endpoint.Payload;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an endpoint's deliveries go, and how: signed webhooks over HTTPS. Those who schedule
 * attempts know nothing of it but this.
 */
public final class Destination {
  /**
   * What one attempt sends, besides its content.
   *
   * @param capture what is sent; of a page, its last capture
   * @param startedAt when the attempt began, which is signed
   * @param traceparent for receivers that continue traces
   */
  public record Message(
      Event event,
      UUID deliveryId,
      CaptureState capture,
      Instant startedAt,
      @Nullable String traceparent) {}

  private final UUID endpointId;
  private final UUID workspaceId;
  private final Payload payload;
  private final boolean compressed;
  private final EndpointUrl.Parsed parsed;

  /** Used only by the event loop that sends to the endpoint. */
  private final WebhookSignature signature;

  private final CustomHeaders headers;
  private final @Nullable ClientCertificate certificate;

  /** Likewise; null if its receiver takes no access tokens. */
  private final @Nullable AccessTokens tokens;

  private final Redaction redaction;
  private final WebhookSender sender;

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  public Destination(
      EndpointTarget target, SecretBox secrets, boolean allowHttp, WebhookSender sender) {
    EndpointTarget.Setup setup = target.setup();
    Buffer sealedCertificate = setup.sealedCertificate();
    Buffer sealedOAuth2 = setup.sealedOAuth2();
    OAuth2Client client =
        sealedOAuth2 == null ? null : OAuth2Client.open(sealedOAuth2, secrets, target.id());
    this.endpointId = target.id();
    this.workspaceId = target.workspaceId();
    this.payload = setup.spec().payload();
    this.compressed = setup.spec().compress();
    this.parsed = EndpointUrl.parse(setup.spec().url(), allowHttp);
    this.signature = WebhookSignature.of(target, secrets);
    this.headers = CustomHeaders.open(setup.sealedHeaders(), secrets, target.id());
    this.certificate =
        sealedCertificate == null
            ? null
            : ClientCertificate.open(sealedCertificate, secrets, target.id());
    this.redaction = Redaction.of(signature.secrets(), headers, client);
    this.tokens =
        client == null
            ? null
            : new AccessTokens(target.id(), client, allowHttp, certificate, redaction);
    this.sender = sender;
  }

  /** Null if it was valid when it was set, and the settings have become stricter since. */
  public @Nullable EndpointUrl url() {
    return switch (parsed) {
      case EndpointUrl.Parsed.Valid(EndpointUrl url) -> url;
      case EndpointUrl.Parsed.Invalid _ -> null;
    };
  }

  /**
   * Begins an attempt, whose outcome may be known at once. {@code authorized} is what this attempt
   * had as its outcome before.
   */
  public Sending send(Message message, Content content, Outcome.@Nullable Authorized authorized) {
    return switch (parsed) {
      case EndpointUrl.Parsed.Valid(EndpointUrl url) ->
          sender.send(request(url, message, content), tokens, authorized);
      case EndpointUrl.Parsed.Invalid(List<String> problems) ->
          refused(String.join("; ", problems));
    };
  }

  private SendRequest request(EndpointUrl url, Message message, Content content) {
    Content data =
        payload == Payload.REFERENCE && message.event() != Event.CAPTURE_ERASED
            ? reference(message, content)
            : content;
    return new SendRequest(
        endpointId,
        url,
        Envelope.compose(
            message.event(), message.deliveryId(), message.startedAt(), data, compressed),
        message.capture(),
        signature,
        headers,
        certificate,
        message.startedAt().getEpochSecond(),
        message.traceparent(),
        redaction);
  }

  /** How much memory a body with this content takes, roughly. */
  public int length(Content content) {
    return content.length(compressed);
  }

  private Content reference(Message message, Content content) {
    return switch (content) {
      case Content.Document _ ->
          new Content.Document(Reference.head(workspaceId, message.capture().id()));
      case Content.Page page -> page.asReferences(workspaceId);
    };
  }

  private static Sending refused(String problems) {
    Future<Outcome> outcome =
        Future.succeededFuture(
            new Outcome.Failed(
                FailureKind.BLOCKED_ADDRESS, null, problems, Duration.ZERO, Exchanged.NOTHING));
    return new Sending() {
      @Override
      public Future<Outcome> outcome() {
        return outcome;
      }

      @Override
      public void abort(String reason) {}
    };
  }
}
