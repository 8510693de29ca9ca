package io.egress.transcript.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyEncoderTest {
  private static final int[] SIZES = {0, 1, 2, 100, 65_534, 65_535, 65_536, 200_000};

  @Test
  void joinsRandomPartsIntoOneMemberEqualToTheIdentityBody() throws Exception {
    for (long seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      BodyEncoder gzip = BodyEncoder.gzip();
      BodyEncoder identity = BodyEncoder.identity();
      ByteArrayOutputStream expected = new ByteArrayOutputStream();
      ByteArrayOutputStream zipped = new ByteArrayOutputStream();
      ByteArrayOutputStream plain = new ByteArrayOutputStream();
      int parts = random.nextInt(20);
      for (int i = 0; i < parts; i++) {
        byte[] raw = raw(random, size(random));
        if (random.nextBoolean()) {
          Fragment fragment = Fragment.deflate(raw);
          gzip.fragment(fragment);
          identity.fragment(fragment);
        } else {
          String literal = new String(raw, StandardCharsets.US_ASCII).replace('\ufffd', '?');
          raw = literal.getBytes(StandardCharsets.US_ASCII);
          gzip.literal(literal);
          identity.literal(literal);
        }
        expected.write(raw);
        if (random.nextBoolean()) {
          drain(gzip, zipped);
          drain(identity, plain);
        }
      }
      gzip.finish();
      identity.finish();
      drain(gzip, zipped);
      drain(identity, plain);
      assertThat(GzipDecoder.decode(zipped.toByteArray()))
          .as("seed %d", seed)
          .isEqualTo(expected.toByteArray());
      assertThat(plain.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_535, 65_536, 5_000_000})
  void joinsPartsOfEverySize(int size) throws Exception {
    byte[] raw = raw(new Random(size), size);
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    BodyEncoder gzip = BodyEncoder.gzip();
    gzip.fragment(Fragment.deflate(raw));
    gzip.literal("x".repeat(size));
    gzip.finish();
    drain(gzip, zipped);

    byte[] body = GzipDecoder.decode(zipped.toByteArray());

    assertThat(body).hasSize(2 * size).startsWith(raw);
    assertThat(new GZIPInputStream(new ByteArrayInputStream(zipped.toByteArray())).readAllBytes())
        .isEqualTo(body);
  }

  @Test
  void inflatesInBoundedPieces() {
    BodyEncoder identity = BodyEncoder.identity();
    identity.fragment(Fragment.deflate(new byte[10_000_000]));
    long total = 0;
    for (Buffer piece = identity.next(); piece != null; piece = identity.next()) {
      assertThat(piece.length()).isLessThanOrEqualTo(Inflation.PIECE_BYTES_MAX);
      total += piece.length();
    }
    assertThat(total).isEqualTo(10_000_000);
  }

  @Test
  void detectsDamagedFragments() {
    Fragment whole =
        Fragment.deflate("something stored a while ago".getBytes(StandardCharsets.UTF_8));
    Fragment otherCrc = new Fragment(whole.deflated(), whole.crc32() ^ 1, whole.length());
    Fragment cut = new Fragment(whole.deflated().slice(0, 10), whole.crc32(), whole.length());

    assertThatThrownBy(() -> inflate(otherCrc)).hasMessageContaining("damaged");
    assertThatThrownBy(() -> inflate(cut)).hasMessageContaining("damaged");
  }

  private static void inflate(Fragment fragment) {
    BodyEncoder identity = BodyEncoder.identity();
    identity.fragment(fragment);
    drain(identity, new ByteArrayOutputStream());
  }

  private static void drain(BodyEncoder encoder, ByteArrayOutputStream into) {
    for (Buffer piece = encoder.next(); piece != null; piece = encoder.next()) {
      into.writeBytes(piece.getBytes());
    }
  }

  private static int size(Random random) {
    int size = SIZES[random.nextInt(SIZES.length)];
    return size < 200 ? random.nextInt(size + 1) : size;
  }

  /** Half the time text that compresses, half the time noise that does not. */
  private static byte[] raw(Random random, int size) {
    byte[] raw = new byte[size];
    if (random.nextBoolean()) {
      random.nextBytes(raw);
    } else {
      for (int i = 0; i < size; i++) {
        raw[i] = (byte) ('a' + random.nextInt(4));
      }
    }
    return raw;
  }
}
