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
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that gets signed webhooks over HTTPS.
 *
 * @param signature used only by the event loop that sends to the endpoint
 * @param tokens likewise; null if its receiver takes no access tokens
 */
record WebhookDestination(
    UUID endpointId,
    UUID workspaceId,
    Payload payload,
    boolean compressed,
    EndpointUrl.Parsed parsed,
    WebhookSignature signature,
    CustomHeaders headers,
    @Nullable ClientCertificate certificate,
    @Nullable AccessTokens tokens,
    Redaction redaction,
    WebhookSender sender)
    implements Destination {
  static WebhookDestination of(
      EndpointTarget target, SecretBox secrets, boolean allowHttp, WebhookSender sender) {
    EndpointTarget.Setup setup = target.setup();
    Buffer sealedCertificate = setup.sealedCertificate();
    ClientCertificate certificate =
        sealedCertificate == null
            ? null
            : ClientCertificate.open(sealedCertificate, secrets, target.id());
    Buffer oauth2 = setup.sealedOAuth2();
    OAuth2Client client = oauth2 == null ? null : OAuth2Client.open(oauth2, secrets, target.id());
    WebhookSignature signature = WebhookSignature.of(target, secrets);
    CustomHeaders headers = CustomHeaders.open(setup.sealedHeaders(), secrets, target.id());
    Redaction redaction = Redaction.of(signature.secrets(), headers, client);
    return new WebhookDestination(
        target.id(),
        target.workspaceId(),
        setup.spec().payload(),
        setup.spec().compress(),
        EndpointUrl.parse(setup.spec().url(), allowHttp),
        signature,
        headers,
        certificate,
        client == null
            ? null
            : new AccessTokens(target.id(), client, allowHttp, certificate, redaction),
        redaction,
        sender);
  }

  @Override
  public @Nullable EndpointUrl url() {
    return switch (parsed) {
      case EndpointUrl.Parsed.Valid(EndpointUrl url) -> url;
      case EndpointUrl.Parsed.Invalid _ -> null;
    };
  }

  @Override
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
