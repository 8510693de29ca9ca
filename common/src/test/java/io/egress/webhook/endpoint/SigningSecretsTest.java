package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SigningSecretsTest {
  @Test
  void drawsThirtyTwoBytesBehindThePrefix() {
    String secret = SigningSecrets.generate();

    assertThat(secret).matches("whsec_[A-Za-z0-9_-]{43}");
    assertThat(Base64.getUrlDecoder().decode(secret.substring(6))).hasSize(32);
  }

  @Test
  void neverDrawsTheSameTwice() {
    Set<String> secrets = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      secrets.add(SigningSecrets.generate());
    }
    assertThat(secrets).hasSize(1_000);
  }
}
