package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The certificate presented to receivers that request one, with its chain and private key. That of
 * an endpoint is encrypted at rest like signing secrets, and its key is never shown.
 */
public final class ClientCertificate {
  private static final byte[] SAMPLE = "a sample to sign".getBytes(US_ASCII);
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.+?)-----END PRIVATE KEY-----", Pattern.DOTALL);
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

  private final String chain;
  private final String key;
  private final Shown shown;
  private final KeyCertOptions options;

  /** The public facts about a certificate. */
  public record Shown(String subject, Instant expiresAt) {
    private static Shown of(X509Certificate certificate) {
      return new Shown(
          certificate.getSubjectX500Principal().getName(), certificate.getNotAfter().toInstant());
    }
  }

  private ClientCertificate(String chain, String key, Shown shown) {
    this.chain = chain;
    this.key = key;
    this.shown = shown;
    this.options =
        new PemKeyCertOptions().addCertValue(Buffer.buffer(chain)).addKeyValue(Buffer.buffer(key));
  }

  /**
   * Both in PEM form: the certificate followed by those of its intermediate authorities, and the
   * key as PKCS#8. Throws {@link IllegalArgumentException} that says what is wrong, without showing
   * the key.
   */
  public static ClientCertificate of(String chain, String key, Instant now) {
    X509Certificate own = first(chain);
    if (now.isAfter(own.getNotAfter().toInstant())) {
      throw new IllegalArgumentException(
          "the certificate expired at " + own.getNotAfter().toInstant());
    }
    if (now.isBefore(own.getNotBefore().toInstant())) {
      throw new IllegalArgumentException(
          "the certificate is not valid before " + own.getNotBefore().toInstant());
    }
    requirePair(own.getPublicKey(), key);
    return new ClientCertificate(chain, key, Shown.of(own));
  }

  public Shown shown() {
    return shown;
  }

  public KeyCertOptions options() {
    return options;
  }

  public Buffer seal(SecretBox box, UUID endpointId) {
    String json = new JsonObject().put("chain", chain).put("key", key).encode();
    return Buffer.buffer(box.seal(json, sealId(endpointId)));
  }

  /** May have expired since it was sealed. Throws the exceptions of {@link SecretBox#open}. */
  public static ClientCertificate open(Buffer sealed, SecretBox box, UUID endpointId) {
    try {
      JsonObject json = new JsonObject(box.open(sealed.getBytes(), sealId(endpointId)));
      String chain = json.getString("chain");
      return new ClientCertificate(chain, json.getString("key"), Shown.of(first(chain)));
    } catch (DamagedSecretException damaged) {
      throw new DamagedSecretException(
          "the client certificate of endpoint "
              + endpointId
              + " cannot be decrypted: altered or misplaced");
    }
  }

  /** Differs from those of the endpoint's other sealed values, so that none can be swapped. */
  private static UUID sealId(UUID endpointId) {
    return UUID.nameUUIDFromBytes((endpointId + "/client-certificate").getBytes(UTF_8));
  }

  private static X509Certificate first(String chain) {
    try {
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(chain.getBytes(UTF_8)))
          .stream()
          .map(X509Certificate.class::cast)
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("there is no certificate"));
    } catch (CertificateException unreadable) {
      throw new IllegalArgumentException("the certificate cannot be read", unreadable);
    }
  }

  private static void requirePair(PublicKey certified, String key) {
    String signature = SIGNATURES.get(certified.getAlgorithm());
    if (signature == null) {
      throw new IllegalArgumentException(
          "the certificate is for a key of the kind "
              + certified.getAlgorithm()
              + ", which is neither RSA nor EC");
    }
    PKCS8EncodedKeySpec encoded = decode(key);
    try {
      PrivateKey matching = privateKey(certified.getAlgorithm(), encoded);
      if (matching == null && !isKnown(encoded)) {
        throw new IllegalArgumentException("the private key cannot be read");
      }
      if (matching == null || !belongTogether(certified, matching, signature)) {
        throw new IllegalArgumentException("the private key is not that of the certificate");
      }
    } catch (GeneralSecurityException unusable) {
      throw new IllegalArgumentException("the private key cannot be used", unusable);
    }
  }

  private static PKCS8EncodedKeySpec decode(String pem) {
    if (pem.contains("ENCRYPTED")) {
      throw new IllegalArgumentException("the private key is encrypted");
    }
    Matcher block = KEY.matcher(pem);
    if (!block.find()) {
      throw new IllegalArgumentException(
          "the private key must be in PKCS#8 form (-----BEGIN PRIVATE KEY-----)");
    }
    try {
      return new PKCS8EncodedKeySpec(
          Base64.getDecoder().decode(block.group(1).replaceAll("\\s", "")));
    } catch (IllegalArgumentException notBase64) {
      // Its message would show a part of the key.
      throw new IllegalArgumentException("the private key cannot be read");
    }
  }

  private static boolean isKnown(PKCS8EncodedKeySpec encoded) throws GeneralSecurityException {
    for (String kind : SIGNATURES.keySet()) {
      if (privateKey(kind, encoded) != null) {
        return true;
      }
    }
    return false;
  }

  /** Null if the key is of another kind. */
  private static @Nullable PrivateKey privateKey(String kind, PKCS8EncodedKeySpec encoded)
      throws GeneralSecurityException {
    try {
      return KeyFactory.getInstance(kind).generatePrivate(encoded);
    } catch (InvalidKeySpecException other) {
      return null;
    }
  }

  private static boolean belongTogether(PublicKey certified, PrivateKey key, String how)
      throws GeneralSecurityException {
    Signature signing = Signature.getInstance(how);
    signing.initSign(key);
    signing.update(SAMPLE);
    byte[] signed = signing.sign();
    Signature verifying = Signature.getInstance(how);
    verifying.initVerify(certified);
    verifying.update(SAMPLE);
    return verifying.verify(signed);
  }

  /** The key is never printed. */
  @Override
  public String toString() {
    return "ClientCertificate[" + shown + "]";
  }
}
