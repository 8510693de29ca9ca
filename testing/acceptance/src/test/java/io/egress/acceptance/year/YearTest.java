package io.egress.acceptance.year;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.BothRoles;
import io.egress.testing.MovableClock;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service with a PostgreSQL whose clock moves on by hours or days between some seconds of work.
 * {@code EGRESS_TEST_SEED} repeats a run.
 */
class YearTest {
  private static final Duration YEAR_TAKES_MAX = Duration.ofMinutes(30);

  @Test
  @Tag("full")
  void tenDays(@TempDir Path folder) throws Exception {
    live(folder, 2, 12, (life, days) -> days < 10 || life.rounds() < 1);
  }

  @Test
  @Tag("long")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void aYearOrWhatFitsHalfAnHour(@TempDir Path folder) throws Exception {
    long end = System.nanoTime() + YEAR_TAKES_MAX.toNanos();
    live(folder, 4, 30, (_, days) -> days < 365 && System.nanoTime() - end < 0);
  }

  private interface Lasting {
    boolean goesOn(Life life, long days);
  }

  private static void live(Path folder, int hoursMin, int hoursMax, Lasting lasting)
      throws Exception {
    Optional<MovableClock> clock = MovableClock.in(folder);
    assumeTrue(clock.isPresent(), "libfaketime is not installed");
    long seed = seed();
    System.out.printf("seed %d%n", seed);
    Violations violations = new Violations();
    Vertx vertx = Vertx.vertx();
    try (MovedFleet fleet = new MovedFleet(folder, clock.orElseThrow());
        Readiness readiness = new Readiness(fleet)) {
      Arrivals arrivals = new Arrivals(vertx, fleet.clock(), violations);
      Unanswered unanswered = new Unanswered(fleet);
      Settling settling = new Settling(fleet, readiness, unanswered, violations);
      Life life = new Life(fleet, arrivals, readiness, settling, violations, seed);
      Random steps = new Random(seed);
      Instant began = fleet.clock().instant();
      long begunNanos = System.nanoTime();
      while (lasting.goesOn(life, days(began, fleet))) {
        life.live(Duration.ofMinutes(steps.nextInt(hoursMin * 60, hoursMax * 60)));
      }
      System.out.printf(
          "%d days in %d s, the longest wait %s%n",
          days(began, fleet),
          Duration.ofNanos(System.nanoTime() - begunNanos).toSeconds(),
          settling.longest());
      life.end();
      Promises promises = new Promises(fleet, arrivals, unanswered, life, violations);
      promises.check();
      TableBounds bounds = new TableBounds(fleet, violations);
      bounds.check();
      System.out.printf("%s%n%s%n", promises.summary(), bounds.sizes());
      violations.unless(readiness.isUp(), "not ready in the end: %s", readiness.reason());
    } finally {
      BothRoles.done(vertx.close());
    }
    assertThat(violations.all()).as("seed %d", seed).isEmpty();
  }

  private static long days(Instant began, MovedFleet fleet) {
    return Duration.between(began, fleet.clock().instant()).toDays();
  }

  private static long seed() {
    String given = System.getenv("EGRESS_TEST_SEED");
    return given == null ? new Random().nextInt(1_000_000) : Long.parseLong(given);
  }
}
