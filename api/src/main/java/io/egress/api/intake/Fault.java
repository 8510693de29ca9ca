package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

/** What is wrong with one field of a body; the empty field is the body itself. */
public record Fault(String field, String problem) {
  public Fault {
    requireNonNull(field, "field is null");
    requireNonNull(problem, "problem is null");
  }

  @Override
  public String toString() {
    return field.isEmpty() ? problem : field + ": " + problem;
  }
}
