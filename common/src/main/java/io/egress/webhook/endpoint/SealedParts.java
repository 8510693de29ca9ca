package io.egress.webhook.endpoint;

import io.egress.platform.json.Json;
import io.egress.webhook.endpoint.CustomHeaders.SealedHeaders;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is sealed in an endpoint's row, besides its signing secrets. */
public record SealedParts(
    SealedHeaders headers,
    @Nullable Buffer certificate,
    ClientCertificate.@Nullable Shown shownCertificate,
    @Nullable Buffer oauth2,
    OAuth2Client.@Nullable Shown shownOAuth2,
    @Nullable Buffer signingKey) {
  public static final SealedParts NOTHING =
      new SealedParts(SealedHeaders.NONE, null, null, null, null, null);

  public SealedParts with(SealedHeaders other) {
    return new SealedParts(other, certificate, shownCertificate, oauth2, shownOAuth2, signingKey);
  }

  /** Everything that a new endpoint has. */
  public static SealedParts of(NewEndpoint endpoint, SecretBox box, UUID id) {
    SealedParts sealed =
        NOTHING
            .with(endpoint.headers().seal(box, id))
            .with(endpoint.clientCertificate(), box, id)
            .with(endpoint.oauth2(), box, id);
    return sealed.lacksKeyOf(endpoint.spec()) ? sealed.withKey(box, id) : sealed;
  }

  /**
   * A new endpoint with all of it but the signing key, of which each has its own. Fails if what was
   * sealed for {@code id} cannot be opened.
   */
  public NewEndpoint copy(
      SecretBox box,
      UUID id,
      EndpointSpec spec,
      NewEndpoint.Start start,
      Paging.@Nullable Wanted stream) {
    return new NewEndpoint(
        spec,
        start,
        true,
        CustomHeaders.open(headers.sealed(), box, id),
        certificate == null ? null : ClientCertificate.open(certificate, box, id),
        oauth2 == null ? null : OAuth2Client.open(oauth2, box, id),
        stream);
  }

  public boolean lacksKeyOf(EndpointSpec spec) {
    return spec.standardWebhooks() == StandardWebhooks.ED25519 && signingKey == null;
  }

  /** With a new key pair. */
  public SealedParts withKey(SecretBox box, UUID id) {
    return new SealedParts(
        headers, certificate, shownCertificate, oauth2, shownOAuth2, SigningKeys.make(box, id));
  }

  /** Null for none. */
  public SealedParts with(@Nullable ClientCertificate other, SecretBox box, UUID id) {
    return new SealedParts(
        headers,
        other == null ? null : other.seal(box, id),
        other == null ? null : other.shown(),
        oauth2,
        shownOAuth2,
        signingKey);
  }

  /** Null for none. */
  public SealedParts with(@Nullable OAuth2Client other, SecretBox box, UUID id) {
    return new SealedParts(
        headers,
        certificate,
        shownCertificate,
        other == null ? null : other.seal(box, id),
        other == null ? null : other.shown(),
        signingKey);
  }

  @Nullable String certificateSubject() {
    return shownCertificate == null ? null : shownCertificate.subject();
  }

  @Nullable Instant certificateExpiresAt() {
    return shownCertificate == null ? null : shownCertificate.expiresAt();
  }

  /** As its row has it. */
  @Nullable JsonObject shownOAuth2Json() {
    return shownOAuth2 == null ? null : Json.object(shownOAuth2);
  }
}
