package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Rfc3339Test {
  @ParameterizedTest
  @CsvSource({
    "2026-01-31T09:30:00Z, 2026-01-31T09:30:00Z",
    "2026-01-31t09:30:00z, 2026-01-31T09:30:00Z",
    "2026-01-31T09:30:00.1Z, 2026-01-31T09:30:00.100Z",
    "2026-01-31T09:30:00.1239Z, 2026-01-31T09:30:00.123Z",
    "2026-01-31T09:30:00.999999999999Z, 2026-01-31T09:30:00.999Z",
    "1969-12-31T23:59:59.9999Z, 1969-12-31T23:59:59.999Z",
    "2026-01-31T09:30:00+01:00, 2026-01-31T08:30:00Z",
    "2026-01-01T00:30:00-05:30, 2026-01-01T06:00:00Z",
    "2026-01-31T09:30:00+23:59, 2026-01-30T09:31:00Z",
    "2026-01-31T09:30:00-00:00, 2026-01-31T09:30:00Z",
    "2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
    "0001-01-01T00:00:00Z, 0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z, 9999-12-31T23:59:59.999Z"
  })
  void readsInstantsToTheMillisecondInUtc(String text, Instant instant) {
    assertThat(Rfc3339.read(text)).contains(instant);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-01-31",
        "2026-01-31T09:30Z",
        "2026-01-31T09:30:00",
        "2026-01-31 09:30:00Z",
        " 2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00.Z",
        "2026-01-31T09:30:00,5Z",
        "2026-01-31T09:30:00123Z",
        "2026-01-31T09:30:00+01",
        "2026-01-31T09:30:00+0100",
        "2026-01-31T09:30:00+01:00:00",
        "2026-01-31T09:30:00+24:00",
        "2026-01-31T09:30:00+01:60",
        "2026-01-31T09:30:00Z[UTC]",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T09:60:00Z",
        "0000-12-31T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "+12026-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "\u0662026-01-31T09:30:00Z",
        "1769851800"
      })
  void refusesEverythingElse(String text) {
    assertThat(Rfc3339.read(text)).isEmpty();
  }
}
