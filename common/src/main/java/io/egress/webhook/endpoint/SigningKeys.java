package io.egress.webhook.endpoint;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** Makes the service's key pairs, and opens the private keys. */
public final class SigningKeys {
  public static final String ALGORITHM = "Ed25519";

  private static final int RAW_BYTES = 32;
  private static final int UUID_BYTES = 16;

  /** A new key pair, with its private key sealed for {@code id}. */
  record Made(UUID id, Buffer raw, Buffer sealed) {}

  private SigningKeys() {}

  static Made make(SecretBox box) {
    try {
      UUID id = UUID.randomUUID();
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      // An X.509 public key of Ed25519 ends with the bytes of the key.
      byte[] encoded = pair.getPublic().getEncoded();
      byte[] raw = Arrays.copyOfRange(encoded, encoded.length - RAW_BYTES, encoded.length);
      String pkcs8 = Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded());
      return new Made(id, Buffer.buffer(raw), Buffer.buffer(box.seal(pkcs8, id)));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /**
   * The private keys of an endpoint's {@link EndpointTarget.Setup#sealedSigningKeys}. Throws the
   * exceptions of {@link SecretBox#open}, also if there are none.
   */
  public static List<PrivateKey> open(List<Buffer> sealed, SecretBox box) {
    if (sealed.isEmpty()) {
      throw new DamagedSecretException("the service has no signing key");
    }
    return sealed.stream().map(each -> open(each, box)).toList();
  }

  /** {@code sealed} begins with the id of the key. */
  private static PrivateKey open(Buffer sealed, SecretBox box) {
    ByteBuffer bytes = ByteBuffer.wrap(sealed.getBytes());
    UUID id = new UUID(bytes.getLong(), bytes.getLong());
    try {
      byte[] pkcs8 =
          Base64.getDecoder().decode(box.open(sealed.getBytes(UUID_BYTES, sealed.length()), id));
      return KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (DamagedSecretException damaged) {
      throw new DamagedSecretException(
          "the signing key " + id + " of the service cannot be decrypted: altered or misplaced");
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
