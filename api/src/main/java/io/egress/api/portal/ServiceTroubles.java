package io.egress.api.portal;

import io.egress.api.metrics.EndpointsBehind.Lateness;
import io.egress.api.portal.view.Times;
import io.egress.platform.backend.DatabaseState;
import io.egress.webhook.queue.Rebuild;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the service itself, for the top of every page. From what the process knows,
 * without asking the database.
 */
public final class ServiceTroubles {
  /** First attempts are made within a second; this is no receiver's fault. */
  private static final Duration LATE = Duration.ofMinutes(2);

  /** What the process knows of the service's parts; null is what it does not know. */
  public record Sources(
      Supplier<DatabaseState> database,
      BooleanSupplier kafkaAway,
      Supplier<@Nullable Rebuild> rebuild,
      Supplier<@Nullable Lateness> lateness) {}

  private final Sources sources;
  private final Clock clock;

  public ServiceTroubles(Sources sources, Clock clock) {
    this.sources = sources;
    this.clock = clock;
  }

  /**
   * In whole sentences; empty if nothing is known to be wrong. Only operators see what concerns
   * single endpoints, which may be those of another workspace.
   */
  List<String> now(boolean forOperator) {
    List<String> troubles = new ArrayList<>();
    Stream.of(ofDatabase(), ofKafka(), ofRebuild(), ofLateness(forOperator))
        .filter(each -> each != null)
        .forEach(troubles::add);
    return troubles;
  }

  /** Null if the database takes writes; no session can be used otherwise. */
  @Nullable String ofDatabase() {
    return switch (sources.database().get()) {
      case WRITABLE -> null;
      case READ_ONLY ->
          "The service's database (PostgreSQL) takes no writes. Captures can be pulled. Until it"
              + " takes writes again, no page opens, no capture is accepted, and webhooks wait. What"
              + " was accepted is not lost.";
      case UNAVAILABLE ->
          "The service cannot reach its database (PostgreSQL). Until it is back, no page opens, no"
              + " capture is accepted or pulled, and webhooks wait. What was accepted is not lost.";
    };
  }

  private @Nullable String ofKafka() {
    return sources.kafkaAway().getAsBoolean()
        ? "The service cannot reach its queue (Kafka). Captures are stored and can be pulled;"
            + " webhooks are sent as soon as it is back."
        : null;
  }

  /** Not once everything that is due was published: the rest is in time. */
  private @Nullable String ofRebuild() {
    Rebuild rebuild = sources.rebuild().get();
    if (rebuild == null
        || rebuild.state() == Rebuild.State.FINISHED
        || rebuild.state() == Rebuild.State.WAITING) {
      return null;
    }
    return (rebuild.reason() == Rebuild.Reason.LOST
                ? "The queue of deliveries was lost at %s UTC. "
                : "An operator has the queue of deliveries rebuilt since %s UTC. ")
            .formatted(Times.shown(rebuild.requestedAt()))
        + "Everything owed is published again, so deliveries may be late. Nothing has to be done.";
  }

  /** An endpoint that waits while others get their attempts is most likely slow or limited. */
  private @Nullable String ofLateness(boolean forOperator) {
    Lateness late = sources.lateness().get();
    if (late == null || late.endpoints() == 0 || late.oldest().compareTo(LATE) <= 0) {
      return null;
    }
    Instant attemptedAt = late.attemptedAt();
    String waiting = forOperator ? " " + waiting(late) + "." : "";
    if (attemptedAt == null) {
      return "The service delivers nothing: it made no attempt in the last hour. Nothing is lost."
          + waiting;
    }
    if (attemptedAt.isBefore(clock.instant().minus(LATE))) {
      return "The service delivers nothing: its last attempt was at %s UTC. Nothing is lost.%s"
          .formatted(Times.shown(attemptedAt), waiting);
    }
    return forOperator
        ? waiting(late) + ", while others get theirs: most likely slow or limited receivers."
        : null;
  }

  private static String waiting(Lateness late) {
    return "%s %s waited for an attempt, for up to %s"
        .formatted(
            Times.number(late.endpoints()),
            late.endpoints() == 1 ? "endpoint has" : "endpoints have",
            words(late.oldest()));
  }

  private static String words(Duration duration) {
    return duration.toHours() > 0 ? duration.toHours() + " h" : duration.toMinutes() + " min";
  }
}
