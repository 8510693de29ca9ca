package io.egress.webhook.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretBoxTest {
  private static final UUID ENDPOINT = UUID.fromString("0d3c2e1f-6a5b-4c7d-8e9f-0a1b2c3d4e5f");
  private static final UUID OTHER = UUID.fromString("f47ac10b-58cc-4372-a567-0e02b2c3d479");
  private static final String SECRET = "whsec_äß𝄞";
  private static final String KEY_A = key(1);
  private static final String KEY_B = key(2);

  @Test
  void decryptsWhatItEncrypted() {
    SecretBox box = SecretBox.parse(KEY_A);

    assertThat(box.open(box.seal(SECRET, ENDPOINT), ENDPOINT)).isEqualTo(SECRET);
    assertThat(box.open(box.seal("", ENDPOINT), ENDPOINT)).isEmpty();
    assertThat(box.seal(SECRET, ENDPOINT)).isNotEqualTo(box.seal(SECRET, ENDPOINT));
  }

  @Test
  void refusesACiphertextOfAnotherEndpoint() {
    SecretBox box = SecretBox.parse(KEY_A);
    byte[] sealed = box.seal(SECRET, ENDPOINT);

    assertThatExceptionOfType(DamagedSecretException.class)
        .isThrownBy(() -> box.open(sealed, OTHER))
        .withMessageContaining(OTHER.toString());
  }

  @Test
  void refusesAnyAlteredByte() {
    SecretBox box = SecretBox.parse("one:" + KEY_A + ",two:" + KEY_B);
    byte[] sealed = box.seal(SECRET, ENDPOINT);

    for (int i = 0; i < sealed.length; i++) {
      byte[] altered = sealed.clone();
      altered[i] ^= 1;
      assertThatExceptionOfType(RuntimeException.class)
          .as("byte %d", i)
          .isThrownBy(() -> box.open(altered, ENDPOINT))
          .isInstanceOfAny(DamagedSecretException.class, UnknownSecretKeyException.class);
    }
  }

  @Test
  void refusesATruncatedCiphertext() {
    SecretBox box = SecretBox.parse(KEY_A);
    byte[] sealed = box.seal(SECRET, ENDPOINT);

    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      assertThatExceptionOfType(DamagedSecretException.class)
          .as("length %d", length)
          .isThrownBy(() -> box.open(cut, ENDPOINT));
    }
  }

  @Test
  void rotatesKeys() {
    SecretBox before = SecretBox.parse("2025:" + KEY_A);
    SecretBox during = SecretBox.parse("2026:" + KEY_B + ", 2025:" + KEY_A);
    SecretBox after = SecretBox.parse("2026:" + KEY_B);
    byte[] old = before.seal(SECRET, ENDPOINT);

    assertThat(during.open(old, ENDPOINT)).isEqualTo(SECRET);
    assertThat(during.isSealedWithOldKey(old)).isTrue();
    byte[] renewed = during.seal(during.open(old, ENDPOINT), ENDPOINT);
    assertThat(during.isSealedWithOldKey(renewed)).isFalse();
    assertThat(after.open(renewed, ENDPOINT)).isEqualTo(SECRET);
    assertThatExceptionOfType(UnknownSecretKeyException.class)
        .isThrownBy(() -> after.open(old, ENDPOINT))
        .withMessageContaining("\"2025\"")
        .satisfies(unknown -> assertThat(unknown.keyId()).isEqualTo("2025"));
  }

  @Test
  void findsAKeyThatGotAnIdLater() {
    byte[] sealed = SecretBox.parse(KEY_A).seal(SECRET, ENDPOINT);
    SecretBox named = SecretBox.parse("new:" + KEY_B + ",old:" + KEY_A);

    assertThat(named.open(sealed, ENDPOINT)).isEqualTo(SECRET);
    assertThat(named.isSealedWithOldKey(sealed)).isTrue();
    assertThat(SecretBox.parse("mine:" + KEY_A).isSealedWithOldKey(sealed)).isFalse();
  }

  @Test
  void readsUrlSafeAndUnpaddedBase64() {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) 0xff);
    byte[] sealed =
        SecretBox.parse(Base64.getEncoder().encodeToString(bytes)).seal(SECRET, ENDPOINT);
    String urlSafe = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);

    assertThat(SecretBox.parse(urlSafe).open(sealed, ENDPOINT)).isEqualTo(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ",", "not base64!", "c2hvcnQ=", "id:", ":%s", "id:%s,", "%s,%s", "bad id:%s"})
  void refusesAnInvalidSettingWithoutShowingAKey(String form) {
    String setting = form.replace("%s", KEY_A);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> SecretBox.parse(setting))
        .satisfies(fault -> assertThat(fault).hasNoCause().message().doesNotContain(KEY_A));
  }

  @Test
  void refusesAnIdGivenTwice() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SecretBox.parse("a:" + KEY_A + ",a:" + KEY_B))
        .withMessageContaining("\"a\"");
  }

  @Test
  void hasNoKeysInItsToString() {
    assertThat(SecretBox.parse("a:" + KEY_A).toString()).doesNotContain(KEY_A);
  }

  private static String key(int fill) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) fill);
    return Base64.getEncoder().encodeToString(bytes);
  }
}
