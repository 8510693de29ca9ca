package io.egress.webhook.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
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

/**
 * Makes the key pairs of endpoints, and opens the private keys. A pair is stored as its public key,
 * and after it the sealed private key.
 */
public final class SigningKeys {
  public static final String ALGORITHM = "Ed25519";

  private static final int RAW_BYTES = 32;

  private SigningKeys() {}

  /** A new pair, as stored. */
  public static Buffer make(SecretBox box, UUID endpointId) {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      // An X.509 public key of Ed25519 ends with the bytes of the key.
      byte[] encoded = pair.getPublic().getEncoded();
      byte[] raw = Arrays.copyOfRange(encoded, encoded.length - RAW_BYTES, encoded.length);
      String pkcs8 = Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded());
      return stored(Buffer.buffer(raw), box.seal(pkcs8, sealId(endpointId)));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** The public key of a stored pair. */
  public static Buffer raw(Buffer stored) {
    return stored.getBuffer(0, RAW_BYTES);
  }

  /**
   * The private keys of an endpoint's {@link EndpointTarget.Setup#sealedSigningKeys}. Throws the
   * exceptions of {@link SecretBox#open}, also if there are none.
   */
  public static List<PrivateKey> open(List<Buffer> stored, SecretBox box, UUID endpointId) {
    if (stored.isEmpty()) {
      throw new DamagedSecretException("the endpoint " + endpointId + " has no signing key");
    }
    return stored.stream().map(each -> open(each, box, endpointId)).toList();
  }

  public static boolean isSealedWithOldKey(Buffer stored, SecretBox box) {
    return box.isSealedWithOldKey(sealed(stored));
  }

  /** Throws the exceptions of {@link SecretBox#open}. */
  public static Buffer reseal(Buffer stored, SecretBox box, UUID endpointId) {
    UUID id = sealId(endpointId);
    return stored(raw(stored), box.seal(box.open(sealed(stored), id), id));
  }

  private static PrivateKey open(Buffer stored, SecretBox box, UUID endpointId) {
    try {
      byte[] pkcs8 = Base64.getDecoder().decode(box.open(sealed(stored), sealId(endpointId)));
      return KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (DamagedSecretException damaged) {
      throw new DamagedSecretException(
          "the signing key of endpoint "
              + endpointId
              + " cannot be decrypted: altered or misplaced");
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static Buffer stored(Buffer raw, byte[] sealed) {
    return Buffer.buffer().appendBuffer(raw).appendBytes(sealed);
  }

  private static byte[] sealed(Buffer stored) {
    return stored.getBytes(RAW_BYTES, stored.length());
  }

  /** Differs from those of the endpoint's other sealed values, so that none can be swapped. */
  private static UUID sealId(UUID endpointId) {
    return UUID.nameUUIDFromBytes((endpointId + "/signing-key").getBytes(UTF_8));
  }
}
