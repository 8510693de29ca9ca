package io.egress.webhook.send;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that gets signed webhooks over HTTPS.
 *
 * @param signature used only by the event loop that sends to the endpoint
 */
record WebhookDestination(
    UUID endpointId,
    EndpointUrl.Parsed parsed,
    WebhookSignature signature,
    CustomHeaders headers,
    @Nullable ClientCertificate certificate,
    WebhookSender sender)
    implements Destination {
  static WebhookDestination of(
      EndpointTarget target, SecretBox secrets, boolean allowHttp, WebhookSender sender) {
    EndpointTarget.Setup setup = target.setup();
    Buffer certificate = setup.sealedCertificate();
    return new WebhookDestination(
        target.id(),
        EndpointUrl.parse(setup.spec().url(), allowHttp),
        WebhookSignature.of(target, secrets),
        CustomHeaders.open(setup.sealedHeaders(), secrets, target.id()),
        certificate == null ? null : ClientCertificate.open(certificate, secrets, target.id()),
        sender);
  }

  @Override
  public @Nullable EndpointUrl url() {
    return parsed instanceof EndpointUrl.Parsed.Valid valid ? valid.url() : null;
  }

  @Override
  public Sending send(Message message, byte[] documentHead) {
    if (parsed instanceof EndpointUrl.Parsed.Invalid invalid) {
      return refused(String.join("; ", invalid.problems()));
    }
    return sender.send(
        new SendRequest(
            endpointId,
            ((EndpointUrl.Parsed.Valid) parsed).url(),
            Envelope.compose(
                message.event(), message.deliveryId(), message.startedAt(), documentHead),
            signature,
            headers,
            certificate,
            message.startedAt().getEpochSecond(),
            message.traceparent()));
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
