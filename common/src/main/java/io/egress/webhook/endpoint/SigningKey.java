package io.egress.webhook.endpoint;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key pair of the service that signs webhooks by Ed25519, as everybody may know it.
 *
 * @param raw the 32 bytes of the public key
 * @param signsUntil null for the newest one
 */
public record SigningKey(
    UUID id, @JsonIgnore Buffer raw, Instant createdAt, @Nullable Instant signsUntil) {
  private static final String PREFIX = "whpk_";

  /** In the form of Standard Webhooks. */
  @JsonProperty
  public String publicKey() {
    return PREFIX + Base64.getEncoder().encodeToString(raw.getBytes());
  }

  /** As RFC 8037 defines it. */
  public JsonObject toJwk() {
    return new JsonObject()
        .put("kty", "OKP")
        .put("crv", "Ed25519")
        .put("kid", id.toString())
        .put("use", "sig")
        .put("alg", "EdDSA")
        .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(raw.getBytes()));
  }
}
