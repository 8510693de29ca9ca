package io.egress.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.platform.database.Rows;
import io.egress.testing.MovableClock;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A dispatcher on a host whose clock is ahead, beside a PostgreSQL whose clock is right.
 * libfaketime makes waits of a JVM cost processor time, so the test disturbs others.
 */
@Tag("long")
class WrongClockTest {
  private static final String DAYS =
      "select relname from pg_inherits join pg_class on oid = inhrelid where inhparent = 'deliveries'::regclass order by 1";

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,1h"));

  @AfterEach
  void stop() {
    fleet.close();
  }

  @Test
  void neitherDropsTheLogNorSendsWhatIsStale() throws Exception {
    Optional<Path> faketime = MovableClock.library(MovableClock.THREADED);
    assumeTrue(faketime.isPresent(), "libfaketime is not installed");
    DispatcherApp right = fleet.dispatcher();
    List<String> days = days();
    fleet.stop(right);
    Set<String> seen = ConcurrentHashMap.newKeySet();
    fleet.receivers.behave(
        "retried",
        (request, _) ->
            request
                .response()
                .setStatusCode(seen.add(request.getHeader("x-service-delivery")) ? 500 : 204)
                .end());
    fleet.endpoint(workspace, "crm");
    fleet.endpoint(workspace, "retried");

    try (DispatcherProcess wrong = fleet.processWithWrongClock(faketime.orElseThrow(), "+40d")) {
      fleet.captures(workspace, 3);
      await().until(() -> fleet.count("deliveries where state = 'delivered'") == 6);

      assertThat(days()).isEqualTo(days);
      assertThat(fleet.receivers.arrivals("crm"))
          .allSatisfy(arrival ->
              assertThat(Instant.ofEpochSecond(signedAt(arrival)))
                  .isCloseTo(Instant.now(), within(2, ChronoUnit.MINUTES)));
      assertThat(wrong.said()).contains("The clock of this host is").contains("PostgreSQL's");
    }
  }

  private static long signedAt(Arrival arrival) {
    return Long.parseLong(arrival.signature().replaceAll("t=(\\d+),.*", "$1"));
  }

  private List<String> days() {
    return Rows.list(fleet.query(DAYS), row -> row.getString(0));
  }
}
