package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/** The faults of one body: all are counted, the first ones are kept. */
public final class BodyFaults {
  private static final int KEPT_MAX = 20;

  /** The fault of one field; an empty field name stands for the body itself. */
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

  private final List<Fault> kept = new ArrayList<>();
  private int count;

  void add(String field, String problem) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(new Fault(field, problem));
    }
  }

  void addAll(BodyFaults others) {
    count += others.count;
    kept.addAll(others.kept.subList(0, Math.min(others.kept.size(), KEPT_MAX - kept.size())));
  }

  public boolean isEmpty() {
    return count == 0;
  }

  public List<Fault> kept() {
    return List.copyOf(kept);
  }

  /** All faults on one line, for an error message. */
  public String summary() {
    StringBuilder summary = new StringBuilder();
    for (Fault fault : kept) {
      summary.append(summary.isEmpty() ? "" : "; ").append(fault);
    }
    if (count > kept.size()) {
      summary.append("; and ").append(count - kept.size()).append(" more");
    }
    return summary.toString();
  }
}
