package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Utf8Test {
  @ParameterizedTest
  @CsvSource({
    "'', -1",
    "61, -1",
    "c3a9, -1",
    "efbfbf, -1",
    "f48fbfbf, -1",
    "80, 0",
    "61ff, 1",
    "c1a1, 0",
    "c080, 0",
    "c3, 1",
    "c322, 1",
    "e28222, 2",
    "e08080, 1",
    "eda0bdedb880, 1",
    "f09f98, 3",
    "f0808080, 1",
    "f4908080, 1",
    "f5808080, 0"
  })
  void findsTheFirstFlaw(String hex, int flaw) {
    assertThat(Utf8.firstFlaw(Buffer.buffer(HexFormat.of().parseHex(hex)))).isEqualTo(flaw);
  }

  @Test
  void findsFlawsWhereverTheyAreInALongText() {
    Buffer text = Buffer.buffer("\uD83D\uDE00\u00E9".repeat(5_000));
    assertThat(Utf8.firstFlaw(text)).isEqualTo(-1);

    for (int at = 0; at < text.length(); at += 7) {
      byte kept = text.getByte(at);
      text.setByte(at, (byte) 0xFF);
      assertThat(Utf8.firstFlaw(text)).isEqualTo(at);
      text.setByte(at, kept);
    }
  }

  @Test
  void agreesWithTheDecoderOfTheJdk() {
    byte[] edges = HexFormat.of().parseHex("00617f8090a09fbfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff");
    for (long seed = 0; seed < 200_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[1 + random.nextInt(6)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = edges[random.nextInt(edges.length)];
      }
      if (isDecodable(bytes) != (Utf8.firstFlaw(Buffer.buffer(bytes)) == -1)) {
        throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(bytes));
      }
    }
  }

  private static boolean isDecodable(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException flawed) {
      return false;
    }
  }
}
