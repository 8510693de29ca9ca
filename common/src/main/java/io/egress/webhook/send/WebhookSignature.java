package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.SecretBox;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs envelopes for one endpoint. It holds a keyed {@link Mac} per secret, so reuse it as long as
 * the endpoint's secrets stay the same. Not thread-safe.
 */
public final class WebhookSignature {
  private static final String ALGORITHM = "HmacSHA256";

  private final List<Mac> macs;
  private final boolean hasStandardForm;

  /** Throws the exceptions of {@link SecretBox#open} if a secret cannot be opened. */
  public static WebhookSignature of(EndpointTarget target, SecretBox secrets) {
    return new WebhookSignature(
        target.setup().sealedSecrets().stream()
            .map(secret -> secrets.open(secret.getBytes(), target.id()))
            .toList(),
        target.spec().standardWebhooks());
  }

  /** Without the form of Standard Webhooks. */
  public WebhookSignature(List<String> secrets) {
    this(secrets, false);
  }

  /**
   * Secrets are sorted newest first; during a rotation's overlap, each of them signs. {@code
   * hasStandardForm} tells whether webhooks are to be signed by {@link #signByStandard}, too, which
   * takes another pass over the body.
   */
  public WebhookSignature(List<String> secrets, boolean hasStandardForm) {
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException("secrets is empty");
    }
    macs = secrets.stream().map(WebhookSignature::keyed).toList();
    this.hasStandardForm = hasStandardForm;
  }

  public boolean hasStandardForm() {
    return hasStandardForm;
  }

  /**
   * The value of {@code x-service-signature}, without spaces, which some verifiers do not accept.
   */
  public String sign(long unixSeconds, Envelope envelope) {
    return sign(unixSeconds, envelope::sign);
  }

  /** The same for a body that is not an envelope. */
  public String sign(long unixSeconds, byte[] body) {
    return sign(unixSeconds, mac -> mac.update(body));
  }

  private String sign(long unixSeconds, Consumer<Mac> body) {
    byte[] signedPrefix = (unixSeconds + ".").getBytes(US_ASCII);
    StringBuilder header =
        new StringBuilder(16 + 68 * macs.size()).append("t=").append(unixSeconds);
    for (Mac mac : macs) {
      mac.update(signedPrefix);
      body.accept(mac);
      HexFormat.of().formatHex(header.append(",v1="), mac.doFinal());
    }
    return header.toString();
  }

  /**
   * The value of {@code webhook-signature}. The id and the timestamp that it covers are those of
   * {@code webhook-id}, the delivery's id, and {@code webhook-timestamp}.
   */
  public String signByStandard(long unixSeconds, Envelope envelope) {
    byte[] signedPrefix = (envelope.deliveryId() + "." + unixSeconds + ".").getBytes(US_ASCII);
    StringBuilder header = new StringBuilder(48 * macs.size());
    for (Mac mac : macs) {
      mac.update(signedPrefix);
      envelope.sign(mac);
      header.append(header.isEmpty() ? "v1," : " v1,");
      header.append(Base64.getEncoder().encodeToString(mac.doFinal()));
    }
    return header.toString();
  }

  private static Mac keyed(String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
