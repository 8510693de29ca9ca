package io.egress.api.portal.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayStartTest {
  private static final Instant NOW = Instant.parse("2026-03-01T21:30:05Z");

  @ParameterizedTest
  @CsvSource({
    "hour, 2026-03-01T20:30:05Z",
    "yesterday, 2026-02-28T00:00:00Z",
    "week, 2026-02-22T21:30:05Z"
  })
  void isBeforeNow(String word, Instant expected) {
    assertThat(ReplayStart.find(word).orElseThrow().before(NOW)).isEqualTo(expected);
  }
}
