package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import io.vertx.core.buffer.Buffer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NdjsonLinesTest {
  private static final int LINE_BYTES_MAX = 10;

  @ParameterizedTest
  @MethodSource
  void splitsLinesWhereverTheInputIsSplit(String text, List<String> lines) {
    Buffer input = Buffer.buffer(text);
    for (int first = 0; first <= input.length(); first++) {
      for (int second = first; second <= input.length(); second++) {
        assertThat(
                lines(
                    input.slice(0, first),
                    input.slice(first, second),
                    input.slice(second, input.length())))
            .as("split at %d and %d", first, second)
            .isEqualTo(lines);
      }
    }
  }

  static Stream<Arguments> splitsLinesWhereverTheInputIsSplit() {
    return Stream.of(
        arguments(
            "\uFEFFfirst\n\n  \r\nthird\r\n0123456789\n0123456789a\nlast",
            List.of("1:first", "4:third", "5:0123456789", "6 too long", "7:last")),
        arguments("", List.of()),
        arguments("\n", List.of()),
        arguments("\uFEFF", List.of()),
        arguments("\uFEFF\r\n\t\n", List.of()),
        arguments("a\nb\n", List.of("1:a", "2:b")),
        arguments("a\rb\r\n\rc\r", List.of("1:a\rb", "2:\rc")),
        arguments("\uFEFF0123456789\r\nb", List.of("1:0123456789", "2:b")),
        arguments("\uFEFF0123456789a\n", List.of("1 too long")),
        arguments("a\n\uFEFFb", List.of("1:a", "2:\uFEFFb")),
        arguments("0123456789\r\n0123456789\r\r\n", List.of("1:0123456789", "2 too long")),
        arguments("é\u6F22\uD83D\uDE00\nd", List.of("1:é\u6F22\uD83D\uDE00", "2:d")),
        arguments("0123456789abcdefghijklmn", List.of("1 too long")));
  }

  @Test
  void splitsLinesFromSingleBytes() {
    byte[] bytes = "\uFEFFfirst\r\n\nthird".getBytes(StandardCharsets.UTF_8);
    Buffer[] parts = new Buffer[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      parts[i] = Buffer.buffer(new byte[] {bytes[i]});
    }

    assertThat(lines(parts)).containsExactly("1:first", "3:third");
  }

  @Test
  void retainsNothingOfALineThatIsTooLong() {
    Buffer part = Buffer.buffer("x".repeat(64 * 1024));
    List<String> seen = new ArrayList<>();
    NdjsonLines lines = new NdjsonLines(1024 * 1024, recorder(seen));

    int parts = 2_000;

    long allocated = allocatedBytes();
    for (int i = 0; i < parts; i++) {
      lines.feed(part);
    }
    allocated = allocatedBytes() - allocated;
    lines.feed(Buffer.buffer("\nnext\n"));
    lines.end();

    assertThat(seen).containsExactly("1 too long", "2:next");
    // Each part is looked at in a copy; had the parts been kept, they would count twice.
    assertThat(allocated).isLessThan((long) parts * part.length() + 8L * 1024 * 1024);
  }

  @Test
  void acceptsTheLargestLimit() {
    List<String> seen = new ArrayList<>();
    NdjsonLines lines = new NdjsonLines(Integer.MAX_VALUE, recorder(seen));
    lines.feed(Buffer.buffer("a\nb"));
    lines.end();

    assertThat(seen).containsExactly("1:a", "2:b");
  }

  private static List<String> lines(Buffer... parts) {
    List<String> seen = new ArrayList<>();
    NdjsonLines lines = new NdjsonLines(LINE_BYTES_MAX, recorder(seen));
    for (Buffer part : parts) {
      lines.feed(part);
    }
    lines.end();
    return seen;
  }

  private static NdjsonLines.Receiver recorder(List<String> seen) {
    return new NdjsonLines.Receiver() {
      @Override
      public void line(long number, Buffer line) {
        seen.add(number + ":" + line);
      }

      @Override
      public void tooLong(long number) {
        seen.add(number + " too long");
      }
    };
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }
}
