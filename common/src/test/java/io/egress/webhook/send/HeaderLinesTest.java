package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeaderLinesTest {
  @Test
  void keepsTheFirstTwoKilobytes() {
    String lines =
        HeaderLines.of(
            List.of(
                Map.entry("server", "nginx"),
                Map.entry("x-long", "a".repeat(5_000)),
                Map.entry("x-last", "b")),
            Redaction.NONE);

    assertThat(lines).hasSize(2_048).startsWith("server: nginx\nx-long: aaa").endsWith("aaa");
    assertThat(HeaderLines.parse(lines))
        .extracting(ShownHeader::name)
        .containsExactly("server", "x-long");
  }

  @Test
  void holdsNoCharacterThatTheDatabaseRefusesOrThatLooksLikeALine() {
    assertThat(HeaderLines.of(List.of(Map.entry("x-a", "b\0c\r\nx-d: e\u0085")), Redaction.NONE))
        .isEqualTo("x-a: b c  x-d: e ");
  }

  @Test
  void withholdsCookies() {
    String lines =
        HeaderLines.of(
            List.of(Map.entry("Set-Cookie", "session=secret"), Map.entry("x-a", "b")),
            Redaction.NONE);

    assertThat(lines).isEqualTo("Set-Cookie\nx-a: b");
    assertThat(HeaderLines.parse(lines))
        .containsExactly(new ShownHeader("Set-Cookie", null), new ShownHeader("x-a", "b"));
  }

  @Test
  void anEmptyValueIsNotWithheld() {
    String lines = HeaderLines.of(List.of(Map.entry("x-a", "")), Redaction.NONE);

    assertThat(HeaderLines.parse(lines)).containsExactly(new ShownHeader("x-a", ""));
    assertThat(HeaderLines.parse("")).isEmpty();
  }
}
