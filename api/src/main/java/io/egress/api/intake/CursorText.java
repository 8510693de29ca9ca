package io.egress.api.intake;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Cursors of lists, as clients get them: some numbers that they are to give back as they are. */
public final class CursorText {
  private CursorText() {}

  public static String encode(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
    bytes.asLongBuffer().put(numbers);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /** The precision of the database. */
  public static long micros(Instant instant) {
    return TimeUnit.SECONDS.toMicros(instant.getEpochSecond())
        + TimeUnit.NANOSECONDS.toMicros(instant.getNano());
  }

  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Empty if {@link #encode} cannot have written the text for so many numbers. */
  public static Optional<long[]> decode(String text, int count) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
    if (bytes.length != count * Long.BYTES) {
      return Optional.empty();
    }
    long[] numbers = new long[count];
    ByteBuffer.wrap(bytes).asLongBuffer().get(numbers);
    return Optional.of(numbers);
  }
}
