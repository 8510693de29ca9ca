package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.EndpointHealth;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The health of an endpoint.
 *
 * @param state a class of the style sheet
 * @param failure how the newest attempt failed, in few words; null unless the endpoint is down or
 *     failing
 * @param lasting for how long every attempt has failed, or the endpoint has been paused; null if
 *     neither is so
 * @param why how the newest attempt failed, and since when all do; null unless the endpoint is down
 *     or failing
 * @param advice what can be done about it; empty without {@code why}
 * @param undelivered what was given up or skipped; null if nothing was
 * @param again the label of the button that sends it again; null if there is nothing to send, or
 *     the endpoint is paused
 */
public record EndpointStatus(
    String state,
    String label,
    String rate,
    @Nullable String failure,
    @Nullable String lasting,
    @Nullable String why,
    String advice,
    @Nullable Instant lastSuccess,
    @Nullable String undelivered,
    @Nullable String again) {
  public EndpointStatus {
    requireNonNull(state, "state is null");
    requireNonNull(label, "label is null");
    requireNonNull(rate, "rate is null");
  }

  /** {@code pausedAt} is null unless the endpoint is paused. */
  public static EndpointStatus of(EndpointHealth health, @Nullable Instant pausedAt, Instant now) {
    String state = health.state().name().toLowerCase(Locale.ROOT);
    EndpointHealth.LastFailure failure = isIll(health) ? health.lastFailure() : null;
    boolean isAny = health.undelivered() > 0;
    return new EndpointStatus(
        state,
        health.state() == EndpointHealth.State.UNTRIED ? "no attempts yet" : state,
        rate(health),
        failure == null ? null : failure.text().words(),
        lasting(failure == null ? pausedAt : health.failingSince(), now),
        failure == null ? null : why(failure, health.failingSince(), now),
        failure == null ? "" : failure.text().advice(),
        health.lastSuccess(),
        isAny ? count(health) + verb(health) : null,
        isAny && health.state() != EndpointHealth.State.PAUSED ? again(health) : null);
  }

  private static @Nullable String lasting(@Nullable Instant since, Instant now) {
    return since == null ? null : "for " + Times.age(since, now);
  }

  private static boolean isIll(EndpointHealth health) {
    return health.state() == EndpointHealth.State.DOWN
        || health.state() == EndpointHealth.State.FAILING;
  }

  private static String why(
      EndpointHealth.LastFailure failure, @Nullable Instant since, Instant now) {
    String words = failure.text().words();
    return (since == null ? "" : "Every attempt has failed since " + Times.shown(since) + " UTC. ")
        + Character.toUpperCase(words.charAt(0))
        + words.substring(1)
        + ", "
        + Times.ago(failure.at(), now)
        + ".";
  }

  private static String rate(EndpointHealth health) {
    if (health.attempts() == 0) {
      return "No attempts yet";
    }
    if (health.attempts() == 1) {
      return health.succeeded() == 1 ? "The only attempt succeeded" : "The only attempt failed";
    }
    return health.succeeded() == 0
        ? "None of the last %d attempts succeeded".formatted(health.attempts())
        : "%d of the last %d attempts succeeded".formatted(health.succeeded(), health.attempts());
  }

  private static String again(EndpointHealth health) {
    return health.hasMore()
        ? "Send all that were" + verb(health) + " again"
        : "Send the "
            + count(health)
            + (health.undelivered() == 1 ? " that was" : " that were")
            + verb(health)
            + " again";
  }

  private static String count(EndpointHealth health) {
    return Times.number(health.undelivered()) + (health.hasMore() ? " or more" : "");
  }

  private static String verb(EndpointHealth health) {
    if (health.skipped() == 0) {
      return " given up";
    }
    return health.failed() == 0 ? " skipped" : " given up or skipped";
  }
}
