package io.egress.bench.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.bench.ShortLived;
import io.egress.standalone.run.ChildProcess;
import io.egress.testing.SharedBackends;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few thousand requests of what {@code ./egress fuzz} sends by the million. */
class FuzzTest {
  /** A guard only: on a machine that does much else it takes minutes. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @Test
  void findsNothing(@TempDir Path folder) throws Exception {
    findsNothing("500", folder);
  }

  @Test
  @Tag("long")
  void findsNothingInMoreRequests(@TempDir Path folder) throws Exception {
    findsNothing("3000", folder);
  }

  private static void findsNothing(String requests, Path folder) throws Exception {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment =
        Map.of(
            "EGRESS_DATABASE_URL", backends.freshDatabase(),
            "EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap(),
            "EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    try (ChildProcess fuzz =
        ShortLived.start(folder, environment, "fuzz", "--seed", "12", "--requests", requests)) {
      int status = fuzz.awaitExit(LIMIT);

      assertThat(status).as(fuzz.output()).isZero();
      assertThat(fuzz.output()).contains("no violation");
    }
  }
}
