package io.egress.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.embedded.SharedBackends;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A few thousand requests of what {@code ./egress fuzz} sends by the million. */
class FuzzTest {
  @Test
  @Timeout(180)
  void findsNothing() throws Exception {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment =
        Map.of(
            "EGRESS_DATABASE_URL", backends.freshDatabase(),
            "EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap(),
            "EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    try (CommandLine fuzz =
        CommandLine.start(environment, "fuzz", "--seed", "12", "--requests", "3000")) {
      assertThat(fuzz.awaitExit()).as(fuzz.output()).isZero();
      assertThat(fuzz.output()).contains("no violation");
    }
  }
}
