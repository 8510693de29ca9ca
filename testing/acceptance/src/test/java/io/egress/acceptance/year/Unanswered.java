package io.egress.acceptance.year;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Attempts of first deliveries that got no answer, which a receiver may not know of. They are noted
 * while the log has them: its days are gone when all is compared.
 */
final class Unanswered {
  private static final String ATTEMPTS =
      """
      select string_agg(concat_ws(' ', d.endpoint_id, d.capture_id, a.attempt), ',')
      from attempts a join deliveries d on d.id = a.delivery_id
      where a.status is null and d.replay_id is null
      """;

  private final MovedFleet fleet;
  private final Map<String, Set<String>> attempts = new HashMap<>();

  Unanswered(MovedFleet fleet) {
    this.fleet = fleet;
  }

  /** Notes those that the log has. */
  void note() {
    String noted = fleet.query(ATTEMPTS);
    if (!noted.isEmpty()) {
      Arrays.stream(noted.split(",", -1)).forEach(this::note);
    }
  }

  private void note(String attempt) {
    int end = attempt.lastIndexOf(' ');
    attempts
        .computeIfAbsent(attempt.substring(0, end), _ -> new HashSet<>())
        .add(attempt.substring(end + 1));
  }

  /** How many there were of the delivery of a capture to an endpoint. */
  int of(UUID endpoint, UUID capture) {
    return attempts.getOrDefault(endpoint + " " + capture, Set.of()).size();
  }
}
