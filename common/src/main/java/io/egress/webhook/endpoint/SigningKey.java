package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A key pair that signs an endpoint's webhooks by Ed25519, as its receiver may know it.
 *
 * @param raw the 32 bytes of the public key
 * @param signsUntil null for the newest one
 */
public record SigningKey(@JsonIgnore Buffer raw, @Nullable Instant signsUntil) {
  private static final String PREFIX = "whpk_";

  /** In the form of Standard Webhooks. */
  @JsonProperty
  public String publicKey() {
    return PREFIX + Base64.getEncoder().encodeToString(raw.getBytes());
  }

  /** As RFC 8037 defines it; its id is the thumbprint of RFC 7638. */
  public JsonObject toJwk() {
    String x = base64Url(raw.getBytes());
    return new JsonObject()
        .put("kty", "OKP")
        .put("crv", "Ed25519")
        .put("kid", thumbprint("{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + x + "\"}"))
        .put("use", "sig")
        .put("alg", "EdDSA")
        .put("x", x);
  }

  private static String thumbprint(String canonical) {
    try {
      return base64Url(MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(US_ASCII)));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static String base64Url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
