package io.egress.transcript.document;

/**
 * The CRC-32 of a concatenation from the CRCs of its parts. Appending n bytes multiplies a CRC by
 * x^(8n) modulo the CRC's polynomial, in the bit-reversed order of CRC-32's coefficients.
 */
final class Crc32Combination {
  private static final int POLYNOMIAL = 0xEDB88320;
  private static final int ONE = 0x80000000;

  /** x^(8 * 2^i) for every bit i of a length. */
  private static final int[] POWERS = powers();

  private Crc32Combination() {}

  static int combine(int first, int second, long secondLength) {
    int factor = ONE;
    for (int bit = 0; secondLength >> bit != 0; bit++) {
      if ((secondLength >> bit & 1) != 0) {
        factor = multiply(factor, POWERS[bit]);
      }
    }
    return multiply(first, factor) ^ second;
  }

  private static int[] powers() {
    int[] powers = new int[63];
    int power = ONE >>> 8;
    for (int i = 0; i < powers.length; i++) {
      powers[i] = power;
      power = multiply(power, power);
    }
    return powers;
  }

  private static int multiply(int left, int right) {
    int product = 0;
    int shifted = right;
    for (int bit = 31; bit >= 0; bit--) {
      if ((left >>> bit & 1) != 0) {
        product ^= shifted;
      }
      shifted = (shifted & 1) == 0 ? shifted >>> 1 : shifted >>> 1 ^ POLYNOMIAL;
    }
    return product;
  }
}
