package io.egress.webhook.send;

import io.egress.webhook.endpoint.SigningKeys;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;

/** Signs with one private key. Not thread-safe. */
final class Ed25519Signer {
  private final Signature signature;

  Ed25519Signer(PrivateKey key) {
    try {
      signature = Signature.getInstance(SigningKeys.ALGORITHM);
      signature.initSign(key);
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  byte[] sign(byte[] prefix, Envelope envelope) {
    try {
      update(prefix);
      envelope.eachPart(this::update);
      return signature.sign();
    } catch (SignatureException notInitialized) {
      throw new IllegalStateException(notInitialized);
    }
  }

  private void update(byte[] part) {
    try {
      signature.update(part);
    } catch (SignatureException notInitialized) {
      throw new IllegalStateException(notInitialized);
    }
  }
}
