package io.egress.bench.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Mutates parameters of the form {@code name=value&name=value}, of a query or of a form. */
final class QueryMutator {
  /** Those of every route, and fields of forms. */
  private static final List<String> NAMES =
      List.of(
          "action",
          "actor",
          "after",
          "all",
          "capture_id",
          "csrf",
          "description",
          "done",
          "endpoint",
          "expires_in",
          "from",
          "from_position",
          "full_history",
          "headers",
          "limit",
          "max_in_flight",
          "name",
          "overlap",
          "page",
          "remove",
          "standard_webhooks",
          "state",
          "thing_id",
          "to",
          "token",
          "url",
          "value",
          "what");

  private static final List<String> VALUES =
      List.of(
          "",
          "%00",
          "a%00b",
          "%",
          "%zz",
          "%ff%fe",
          "%c0%80",
          "%ed%a0%80",
          "%f4%90%80%80",
          "%f0%9f%98%80",
          "%e2%80%ae%ef%bb%bf",
          "%27%22%3C%3E%26",
          "%0d%0ax:y",
          "%2e%2e%2f",
          "\u00ff\u00fe",
          "+",
          "0",
          "-1",
          "1",
          "9223372036854775808",
          "2026-01-31T09:30:00Z",
          "+999999999-12-31T23:59:60Z",
          "00000000-0000-4000-8000-000000000001",
          "pending",
          "delivered",
          "24h",
          "https://x.invalid/%00",
          "javascript:alert(1)",
          "x".repeat(3_000),
          "%41".repeat(1_000));

  private final Random random;

  QueryMutator(Random random) {
    this.random = random;
  }

  String mutate(String query) {
    List<String> parameters =
        new ArrayList<>(query.isEmpty() ? List.of() : Arrays.asList(query.split("&", -1)));
    int at = random.nextInt(parameters.size() + 1);
    boolean isThere = at < parameters.size();
    switch (random.nextInt(5)) {
      case 0 -> parameters.add(at, pick(NAMES));
      case 1, 2 -> parameters.add(at, pick(NAMES) + "=" + pick(VALUES));
      case 3 -> parameters.add(isThere ? parameters.get(at) : pick(NAMES) + "=1");
      default -> {
        if (isThere) {
          parameters.set(at, parameters.get(at).replaceFirst("=.*", "=") + pick(VALUES));
        }
      }
    }
    return String.join("&", parameters);
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
