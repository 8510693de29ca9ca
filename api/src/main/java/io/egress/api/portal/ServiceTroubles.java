package io.egress.api.portal;

import io.egress.api.metrics.EndpointsBehind;
import io.egress.api.portal.view.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the service itself, for the top of every page. From what the process knows,
 * without asking the database.
 */
public final class ServiceTroubles {
  /** First attempts are made within a second; this is no receiver's fault. */
  private static final Duration LATE = Duration.ofMinutes(2);

  private final BooleanSupplier kafkaAway;
  private final Supplier<EndpointsBehind.@Nullable Lateness> lateness;

  public ServiceTroubles(
      BooleanSupplier kafkaAway, Supplier<EndpointsBehind.@Nullable Lateness> lateness) {
    this.kafkaAway = kafkaAway;
    this.lateness = lateness;
  }

  /** In whole sentences; empty if nothing is known to be wrong. */
  List<String> now() {
    List<String> troubles = new ArrayList<>();
    if (kafkaAway.getAsBoolean()) {
      troubles.add(
          "The service cannot reach its queue (Kafka). Captures are stored and can be pulled;"
              + " webhooks are sent as soon as it is back.");
    }
    EndpointsBehind.Lateness late = lateness.get();
    if (late != null && late.endpoints() > 0 && late.oldest().compareTo(LATE) > 0) {
      troubles.add(
          "The service delivers late: %s %s waited for a first attempt, for up to %s. Nothing is lost."
              .formatted(
                  Times.number(late.endpoints()),
                  late.endpoints() == 1 ? "endpoint has" : "endpoints have",
                  words(late.oldest())));
    }
    return troubles;
  }

  private static String words(Duration duration) {
    return duration.toHours() > 0 ? duration.toHours() + " h" : duration.toMinutes() + " min";
  }
}
