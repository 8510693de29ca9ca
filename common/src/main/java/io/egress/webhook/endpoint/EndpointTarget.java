package io.egress.webhook.endpoint;

import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as what webhooks are sent to.
 *
 * @param setup all that decides how it is sent to
 * @param failingSince the start of the current series of failed attempts, if known
 */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    Setup setup,
    boolean paused,
    boolean deleted,
    @Nullable Instant failingSince) {
  /**
   * How an endpoint is sent to. Two attempts share connections, keys and headers only if they have
   * equal setups.
   *
   * @param sealedSecrets those that sign now, newest first; {@link SecretBox} opens them
   * @param sealedHeaders opened by {@link CustomHeaders#open}
   * @param sealedCertificate opened by {@link ClientCertificate#open}
   * @param sealedOAuth2 opened by {@link OAuth2Client#open}
   * @param sealedSigningKeys those that sign now, newest first, if its webhooks are signed by
   *     Ed25519; opened by {@link SigningKeys#open}
   */
  public record Setup(
      EndpointSpec spec,
      List<Buffer> sealedSecrets,
      @Nullable Buffer sealedHeaders,
      @Nullable Buffer sealedCertificate,
      @Nullable Buffer sealedOAuth2,
      List<Buffer> sealedSigningKeys) {
    public Setup {
      sealedSecrets = List.copyOf(sealedSecrets);
      sealedSigningKeys = List.copyOf(sealedSigningKeys);
    }
  }

  public EndpointSpec spec() {
    return setup.spec();
  }
}
