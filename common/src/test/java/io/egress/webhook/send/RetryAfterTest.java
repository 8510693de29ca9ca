package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
  private static final Instant NOW = Instant.parse("2026-11-27T08:49:07Z");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "30",
        "Fri, 27 Nov 2026 08:49:37 GMT",
        "Friday, 27-Nov-26 08:49:37 GMT",
        "Fri Nov 27 08:49:37 2026"
      })
  void readsSecondsAndDates(String value) {
    assertThat(RetryAfter.of(failed(429, value), NOW)).contains(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "soon", "-1", "1.5", "99999999999", "Fri, 27 Nov 2026 08:49:00 GMT", "1, 2"})
  void ignoresWhatItCannotRead(String value) {
    assertThat(RetryAfter.of(failed(429, value), NOW)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"503, true", "429, true", "500, false", "404, false", ", false"})
  void onlyOfAReceiverThatIsOverloaded(@Nullable Integer status, boolean isRead) {
    assertThat(RetryAfter.of(failed(status, "5"), NOW).isPresent()).isEqualTo(isRead);
  }

  private static Outcome.Failed failed(@Nullable Integer status, String retryAfter) {
    return new Outcome.Failed(
        status == null ? FailureKind.TIMEOUT : FailureKind.STATUS,
        status,
        "",
        Duration.ZERO,
        new Exchanged(null, "", Buffer.buffer(), retryAfter));
  }
}
