package io.egress.bench.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Mutates parameters of the form {@code name=value&name=value}, of a query or of a form. */
final class QueryMutator {
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
  private final List<String> names;

  /** {@code names} are those of parameters that the service knows. */
  QueryMutator(Random random, Collection<String> names) {
    this.random = random;
    this.names = List.copyOf(names);
  }

  /** The names of a query's or form's parameters. */
  static Stream<String> names(String parameters) {
    return Stream.of(parameters.split("&"))
        .filter(parameter -> parameter.indexOf('=') > 0)
        .map(parameter -> parameter.substring(0, parameter.indexOf('=')));
  }

  String mutate(String query) {
    List<String> parameters =
        new ArrayList<>(query.isEmpty() ? List.of() : Arrays.asList(query.split("&", -1)));
    int at = random.nextInt(parameters.size() + 1);
    boolean isThere = at < parameters.size();
    switch (random.nextInt(5)) {
      case 0 -> parameters.add(at, pick(names));
      case 1, 2 -> parameters.add(at, pick(names) + "=" + pick(VALUES));
      case 3 -> parameters.add(isThere ? parameters.get(at) : pick(names) + "=1");
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
