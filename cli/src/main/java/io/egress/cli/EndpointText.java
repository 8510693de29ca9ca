package io.egress.cli;

import io.egress.webhook.send.FailureText;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What tables say of endpoints and of their answers. */
final class EndpointText {
  private static final TableTimes TIMES = new TableTimes(Clock.systemUTC());
  private static final String STATUS = "status ";

  private EndpointText() {}

  /** The description, or the host and port of the URL. */
  static String name(@Nullable String description, @Nullable String url) {
    if (description != null && !description.isBlank()) {
      return description;
    }
    return url == null ? "-" : authority(url);
  }

  private static String authority(String url) {
    try {
      String authority = new URI(url).getRawAuthority();
      return authority == null ? url : authority;
    } catch (URISyntaxException unusual) {
      return url;
    }
  }

  /** Its health; of one that fails, since when and why. */
  static String health(JsonObject endpoint) {
    String health = endpoint.getString("health");
    if (!health.equals("down") && !health.equals("failing")) {
      return health;
    }
    String since = endpoint.getString("failing_since");
    List<String> parts = new ArrayList<>();
    parts.add(since == null ? health : health + " since " + TIMES.of(since));
    if (health.equals("failing")) {
      parts.add(
          endpoint.getInteger("succeeded")
              + " of "
              + endpoint.getInteger("attempts")
              + " succeeded");
    }
    Optional.ofNullable(endpoint.getString("last_failure")).ifPresent(parts::add);
    return String.join(", ", parts);
  }

  /** The status of an answer, or why there was none; of an outcome such as {@code status 500}. */
  static @Nullable String answer(@Nullable String outcome) {
    if (outcome == null) {
      return null;
    }
    return outcome.startsWith(STATUS)
        ? outcome.substring(STATUS.length())
        : FailureText.words(outcome);
  }

  /** The state of a delivery, with the number of its attempts if there were any. */
  static String state(JsonObject delivery) {
    int attempts = delivery.getInteger("attempts", 0);
    String state = delivery.getString("state");
    return attempts == 0 ? state : state + " (" + attempts + ")";
  }

  /** The numbers that are not zero. */
  static String counts(JsonObject numbers, List<String> names) {
    List<String> counts = new ArrayList<>();
    for (String name : names) {
      long number = numbers.getLong(name, 0L);
      if (number > 0) {
        counts.add(number + " " + name.replace('_', ' '));
      }
    }
    return counts.isEmpty() ? "-" : String.join(", ", counts);
  }
}
