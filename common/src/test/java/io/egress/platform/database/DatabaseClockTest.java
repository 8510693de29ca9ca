package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final Instant HOST = Instant.parse("2027-01-10T00:00:00Z");
  private static final Instant SERVER = Instant.parse("2026-12-01T00:00:00Z");

  private long nanos = Duration.ofHours(-3).toNanos();
  private final DatabaseClock clock = new DatabaseClock(() -> nanos, () -> HOST);

  @Test
  void isTheHostsClockBeforeTheFirstReading() {
    assertThat(clock.instant()).isEqualTo(HOST);
    assertThat(clock.hostAhead()).isZero();
  }

  @Test
  void goesByTheServerWhateverTheHostShows() {
    read(SERVER, Duration.ofMillis(10));
    assertThat(clock.instant()).isEqualTo(SERVER.plusMillis(5));
    assertThat(clock.hostAhead()).isEqualTo(Duration.ofDays(40).minusMillis(5));

    nanos += Duration.ofSeconds(30).toNanos();
    assertThat(clock.instant()).isEqualTo(SERVER.plusSeconds(30).plusMillis(5));
  }

  @Test
  void aSlowAnswerDoesNotMoveIt() {
    read(SERVER, Duration.ZERO);
    read(SERVER.plusSeconds(1), Duration.ofSeconds(3));
    assertThat(clock.instant()).isEqualTo(SERVER.plusSeconds(3));
  }

  @Test
  void followsAServerWhoseClockIsSet() {
    read(SERVER, Duration.ZERO);
    read(SERVER.minusSeconds(3_600), Duration.ofMillis(2));
    assertThat(clock.instant()).isEqualTo(SERVER.minusSeconds(3_600).plusMillis(2));
    read(SERVER.plusSeconds(3_600), Duration.ofMillis(2));
    assertThat(clock.instant()).isEqualTo(SERVER.plusSeconds(3_600));
  }

  @Test
  void tellsThatItLeaps() {
    AtomicInteger leaps = new AtomicInteger();
    clock.onLeap(leaps::incrementAndGet);
    read(SERVER, Duration.ZERO);
    read(SERVER.plusSeconds(5), Duration.ZERO);
    assertThat(leaps).hasValue(0);

    read(SERVER.plusSeconds(7_200), Duration.ZERO);
    assertThat(leaps).hasValue(1);
    read(SERVER, Duration.ZERO);
    assertThat(leaps).hasValue(2);
  }

  private void read(Instant answer, Duration roundTrip) {
    long sent = nanos;
    nanos += roundTrip.toNanos();
    clock.read(answer, sent);
  }
}
