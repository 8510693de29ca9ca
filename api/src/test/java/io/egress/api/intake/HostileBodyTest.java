package io.egress.api.intake;

import static io.egress.api.intake.Bodies.ID;
import static io.egress.api.intake.Bodies.accepted;
import static io.egress.api.intake.Bodies.capture;
import static io.egress.api.intake.Bodies.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import io.vertx.core.buffer.Buffer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HostileBodyTest {
  private static final int MIB = 1024 * 1024;
  private static final int BIG_BYTES = 20 * MIB;
  private static final byte[] VALID =
      capture()
          .put("title", "Ünï \uD83D\uDE00 \"q\"")
          .put("id", ID.toString())
          .encode()
          .getBytes(StandardCharsets.UTF_8);
  private static final String[] PIECES = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u0000",
    "\\ud800",
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "\"S1\"",
    "\"segments\":",
    "\"participants\":",
    "\"member\":",
    "{}",
    "[]",
    "\n",
    "\uFEFF"
  };

  @Test
  void parsesALargeBodyWithoutBuildingATree() {
    Buffer body = bigBody();

    long allocated = allocatedBytes();
    Capture capture = accepted(CaptureBody.read(body, ID));
    allocated = allocatedBytes() - allocated;

    assertThat(capture.segments()).hasSizeGreaterThan(100_000);
    assertThat(allocated).isLessThan(12L * BIG_BYTES);
  }

  @Test
  void retainsNothingOfUnknownFields() {
    String numbers = "[" + "1234,".repeat(BIG_BYTES / 5) + "1]";

    assertThat(bytesToRefuse("{\"unknown\":" + numbers + "}")).isLessThan(MIB);
    assertThat(bytesToRefuse("{\"title\":" + numbers + "}")).isLessThan(MIB);
    assertThat(bytesToRefuse("{\"segments\":[{\"words\":" + numbers + "}]}")).isLessThan(MIB);
    assertThat(bytesToRefuse("{\"segments\":[" + numbers + "]}")).isLessThan(MIB);
  }

  @Test
  void retainsNoSegmentsAfterAFault() {
    Utterances utterances = new Utterances(new Speakers());
    String good = Bodies.segment(0, 1, "x").encode();
    Buffer body = Buffer.buffer("{\"segments\":[%s,{},%s]}".formatted(good, good));

    JsonBody.read(body, Shape.of("segments"), Map.of("segments", utterances), new BodyFaults());

    assertThat(utterances.inTimeOrder()).hasSize(1);
  }

  @Test
  void neverThrowsOnMutatedBytes() {
    for (long seed = 0; seed < 30_000; seed++) {
      Random random = new Random(seed);
      Buffer body = Buffer.buffer(VALID);
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        body = changed(body, random);
      }
      assertSane(body, "seed " + seed);
    }
  }

  @Test
  void neverThrowsOnTruncatedBodies() {
    for (int length = 0; length < VALID.length; length++) {
      Buffer body = Buffer.buffer(VALID).slice(0, length);
      assertThat(CaptureBody.read(body, ID)).as("%d bytes", length).isNotNull();
      assertThat(refused(CaptureBody.readLine(body)).kept()).as("%d bytes", length).hasSize(1);
    }
  }

  private static void assertSane(Buffer body, String description) {
    Intake<Capture> intake;
    try {
      intake = CaptureBody.readLine(body);
    } catch (RuntimeException thrown) {
      throw new AssertionError(description + ": " + body, thrown);
    }
    if (intake instanceof Intake.Refused<Capture> refused) {
      assertThat(refused.faults().summary()).as(description).isNotBlank().hasSizeLessThan(10_000);
      return;
    }
    Capture capture = accepted(intake);
    Set<String> labels =
        capture.participants().stream().map(Participant::label).collect(Collectors.toSet());
    assertThat(labels).as(description).hasSameSizeAs(capture.participants());
    for (Segment segment : capture.segments()) {
      assertThat(segment.endMs()).as(description).isGreaterThanOrEqualTo(segment.startMs());
      assertThat(segment.speaker() == null || labels.contains(segment.speaker()))
          .as(description)
          .isTrue();
      assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(segment.text()))
          .as(description)
          .isTrue();
    }
  }

  /** One byte other, a stretch left out, repeated or replaced by a piece of JSON. */
  private static Buffer changed(Buffer body, Random random) {
    int from = random.nextInt(body.length() + 1);
    int to = Math.min(body.length(), from + random.nextInt(12));
    Buffer changed = Buffer.buffer().appendBuffer(body, 0, from);
    switch (random.nextInt(4)) {
      case 0 -> changed.appendByte((byte) random.nextInt(256));
      case 1 -> changed.appendBuffer(body, from, to - from).appendBuffer(body, from, to - from);
      case 2 -> changed.appendString(PIECES[random.nextInt(PIECES.length)]);
      default -> changed.appendBytes(new byte[random.nextInt(2)]);
    }
    return changed.appendBuffer(body, to, body.length() - to);
  }

  private static Buffer bigBody() {
    Buffer segments = Buffer.buffer(BIG_BYTES + MIB);
    for (int i = 0; segments.length() < BIG_BYTES; i++) {
      segments.appendString(
          """
          %s{"start_ms":%d,"end_ms":%d,"speaker":"S%d","text":"So we met again, as we said, near %d."}\
          """
              .formatted(i == 0 ? "" : ",", i * 100, i * 100 + 90, 1 + i % 2, i));
    }
    String[] around = capture().put("segments", "HERE").encode().split("\"HERE\"", -1);
    return Buffer.buffer(around[0] + "[").appendBuffer(segments).appendString("]" + around[1]);
  }

  private static long bytesToRefuse(String text) {
    Buffer body = Buffer.buffer(text);
    long allocated = allocatedBytes();
    assertThat(CaptureBody.read(body, ID)).isInstanceOf(Intake.Refused.class);
    return allocatedBytes() - allocated;
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }
}
