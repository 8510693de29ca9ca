package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NdjsonLinesTest {
  private static final int LINE_BYTES_MAX = 10;
  private static final byte[] INPUT =
      "\uFEFFfirst\n\n  \r\nthird\r\n0123456789\n0123456789a\nlast"
          .getBytes(StandardCharsets.UTF_8);
  private static final List<String> LINES =
      List.of("1:first", "4:third", "5:0123456789", "6 too long", "7:last");

  @Test
  void cutsLinesWhereverTheInputIsSplit() {
    for (int first = 0; first <= INPUT.length; first++) {
      for (int second = first; second <= INPUT.length; second++) {
        assertThat(lines(first, second)).as("split at %d and %d", first, second).isEqualTo(LINES);
      }
    }
  }

  private static List<String> lines(int first, int second) {
    List<String> seen = new ArrayList<>();
    NdjsonLines lines =
        new NdjsonLines(
            LINE_BYTES_MAX,
            new NdjsonLines.Receiver() {
              @Override
              public void line(long number, Buffer line) {
                seen.add(number + ":" + line);
              }

              @Override
              public void tooLong(long number) {
                seen.add(number + " too long");
              }
            });
    Buffer input = Buffer.buffer(INPUT);
    lines.feed(input.slice(0, first));
    lines.feed(input.slice(first, second));
    lines.feed(input.slice(second, INPUT.length));
    lines.end();
    return seen;
  }
}
