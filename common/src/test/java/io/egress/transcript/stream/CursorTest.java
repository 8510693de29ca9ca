package io.egress.transcript.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Base64;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CursorTest {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  private static final Cursor CURSOR = new Cursor(123_456_789L, 0xf81d4faefffffbefL);

  @Test
  void survivesARoundTrip() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      Cursor cursor = new Cursor(1 + random.nextLong(Long.MAX_VALUE - 1), random.nextLong());
      assertThat(cursor.encode()).hasSize(28).matches("[A-Za-z0-9_-]+");
      assertThat(Cursor.decode(cursor.encode())).contains(cursor);
    }
  }

  /** Clients keep cursors for years: this text must decode in every release. */
  @Test
  void keepsItsFormat() {
    assertThat(CURSOR.encode()).isEqualTo("AQAAAAAHW80V-B1Prv__---KUBhc");
    assertThat(Cursor.decode("AQAAAAAHW80V-B1Prv__---KUBhc")).contains(CURSOR);
  }

  @Test
  void knowsACursorOfALaterRelease() {
    byte[] bytes = Base64.getUrlDecoder().decode(new Cursor(7, 42).encode());
    assertThat(Cursor.isNewer(new Cursor(7, 42).encode())).isFalse();
    bytes[0]++;
    String later = Base64.getUrlEncoder().encodeToString(bytes);

    assertThat(Cursor.isNewer(later)).isTrue();
    assertThat(Cursor.decode(later)).isEmpty();
    assertThat(Cursor.isNewer("later")).isFalse();
    assertThat(Cursor.isNewer("")).isFalse();
  }

  @Test
  void refusesEveryAlteredCharacter() {
    String encoded = CURSOR.encode();
    for (int at = 0; at < encoded.length(); at++) {
      for (int i = 0; i < ALPHABET.length(); i++) {
        char c = ALPHABET.charAt(i);
        if (c != encoded.charAt(at)) {
          assertThat(Cursor.decode(encoded.substring(0, at) + c + encoded.substring(at + 1)))
              .isEmpty();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource
  void refusesForeignCursors(String text) {
    assertThat(Cursor.decode(text)).isEmpty();
  }

  static Stream<Arguments> refusesForeignCursors() {
    String encoded = CURSOR.encode();
    byte[] otherVersion = Base64.getUrlDecoder().decode(encoded);
    otherVersion[0] = 2;
    return Stream.of(
        arguments(""),
        arguments(encoded.substring(1)),
        arguments(encoded + "A"),
        arguments(encoded + "="),
        arguments(" " + encoded),
        arguments(encoded.toLowerCase(Locale.ROOT)),
        arguments(encoded.replace('_', '/')),
        arguments("A".repeat(28)),
        arguments("!".repeat(28)),
        arguments(Base64.getUrlEncoder().encodeToString(otherVersion)));
  }
}
