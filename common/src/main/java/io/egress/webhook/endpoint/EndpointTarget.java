package io.egress.webhook.endpoint;

import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as needed by fan-out and delivery.
 *
 * @param setup all that decides how it is sent to
 * @param failingSince the start of the current series of failed attempts, if known
 * @param behind what enters the stream and is not live to the endpoint; null if all of it is, and
 *     where attempts read it
 * @param rests whether it is sent pages, and none is due
 */
public record EndpointTarget(
    UUID id,
    UUID workspaceId,
    Setup setup,
    boolean paused,
    boolean deleted,
    Owed owed,
    @Nullable Instant failingSince,
    @Nullable Behind behind,
    boolean rests) {
  /**
   * A part of the stream that is published to the endpoint from the stream, because it is or was
   * behind.
   *
   * @param to null if the endpoint is still behind
   */
  public record Behind(long from, @Nullable Long to) {
    private boolean contains(long position) {
      return position >= from && (to == null || position <= to);
    }
  }

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

  /** Whether fan-out publishes the capture to the endpoint, and nothing else does. */
  public boolean getsLive(EnteredCapture capture) {
    return !deleted
        && owed.isLive(capture.position())
        && (behind == null || !behind.contains(capture.position()))
        && owed.admits(capture);
  }

  /** Whether it is sent pages, and has to be told that there is something for the next one. */
  public boolean isWokenBy(EnteredCapture capture) {
    return rests && !paused && !deleted && owed.admits(capture);
  }
}
