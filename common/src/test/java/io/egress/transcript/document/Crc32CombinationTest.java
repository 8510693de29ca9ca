package io.egress.transcript.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class Crc32CombinationTest {
  @Test
  void equalsTheCrcOfTheWhole() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      byte[] whole = new byte[random.nextInt(300_000)];
      random.nextBytes(whole);
      int cut = whole.length == 0 ? 0 : random.nextInt(whole.length + 1);

      int combined =
          Crc32Combination.combine(
              crc(Arrays.copyOfRange(whole, 0, cut)),
              crc(Arrays.copyOfRange(whole, cut, whole.length)),
              whole.length - cut);

      assertThat(combined).as("seed %d", seed).isEqualTo(crc(whole));
    }
  }

  @Test
  void acceptsLengthsAboveTwoGigabytes() {
    long length = (1L << 33) + 5;
    int zeros = Crc32Combination.combine(0, crc(new byte[5]), 5);
    int head = crc("head".getBytes(StandardCharsets.US_ASCII));
    long half = length / 2;

    int atOnce = Crc32Combination.combine(head, zeros, length);
    int inTwo =
        Crc32Combination.combine(Crc32Combination.combine(head, 0, half), zeros, length - half);

    assertThat(atOnce).isEqualTo(inTwo);
  }

  private static int crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
