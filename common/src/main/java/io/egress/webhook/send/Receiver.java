package io.egress.webhook.send;

import static java.util.Objects.requireNonNull;

import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointUrl;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an endpoint's webhooks are sent, how they are signed, and their custom headers and client
 * certificate.
 *
 * @param signature for one event loop at a time
 */
public record Receiver(
    EndpointUrl.Parsed url,
    WebhookSignature signature,
    CustomHeaders headers,
    @Nullable ClientCertificate certificate) {
  public Receiver {
    requireNonNull(url, "url is null");
    requireNonNull(signature, "signature is null");
    requireNonNull(headers, "headers is null");
  }

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  public static Receiver of(EndpointTarget target, SecretBox secrets, boolean allowHttp) {
    List<String> opened =
        target.sealedSecrets().stream()
            .map(secret -> secrets.open(secret.getBytes(), target.id()))
            .toList();
    Buffer certificate = target.sealedCertificate();
    return new Receiver(
        EndpointUrl.parse(target.url(), allowHttp),
        new WebhookSignature(opened, target.standardWebhooks()),
        CustomHeaders.open(target.sealedHeaders(), secrets, target.id()),
        certificate == null ? null : ClientCertificate.open(certificate, secrets, target.id()));
  }
}
