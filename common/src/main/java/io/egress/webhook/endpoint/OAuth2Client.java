package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.json.Json;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A client of an authorization server, which gets access tokens for an endpoint's webhooks by
 * client credentials (RFC 6749, section 4.4). It is encrypted at rest like signing secrets, and its
 * secret is never shown.
 *
 * @param tokenUrl in canonical form
 * @param scope as the server takes it; null for its default
 * @param audience a parameter that some servers require
 */
public record OAuth2Client(
    String tokenUrl,
    String clientId,
    String clientSecret,
    @Nullable String scope,
    @Nullable String audience) {
  /** Everything but the secret. */
  public record Shown(
      String tokenUrl, String clientId, @Nullable String scope, @Nullable String audience) {}

  public Shown shown() {
    return new Shown(tokenUrl, clientId, scope, audience);
  }

  public Buffer seal(SecretBox box, UUID endpointId) {
    return Buffer.buffer(box.seal(Json.object(this).encode(), sealId(endpointId)));
  }

  /** Throws the exceptions of {@link SecretBox#open}. */
  public static OAuth2Client open(Buffer sealed, SecretBox box, UUID endpointId) {
    try {
      return Json.decode(box.open(sealed.getBytes(), sealId(endpointId)), OAuth2Client.class);
    } catch (DamagedSecretException damaged) {
      throw new DamagedSecretException(
          "the OAuth 2.0 client of endpoint "
              + endpointId
              + " cannot be decrypted: altered or misplaced");
    }
  }

  /** Differs from those of the endpoint's other sealed values, so that none can be swapped. */
  private static UUID sealId(UUID endpointId) {
    return UUID.nameUUIDFromBytes((endpointId + "/oauth2").getBytes(UTF_8));
  }

  /** The secret is never printed. */
  @Override
  public String toString() {
    return "OAuth2Client[" + shown() + "]";
  }
}
