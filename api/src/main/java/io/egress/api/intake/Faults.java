package io.egress.api.intake;

import java.util.ArrayList;
import java.util.List;

/** The faults of one body, all of them counted and the first of them kept. */
public final class Faults {
  private static final int KEPT_MAX = 20;

  private final List<Fault> kept = new ArrayList<>();
  private int count;

  void add(String field, String problem) {
    count++;
    if (kept.size() < KEPT_MAX) {
      kept.add(new Fault(field, problem));
    }
  }

  void addAll(Faults others) {
    count += others.count;
    kept.addAll(others.kept.subList(0, Math.min(others.kept.size(), KEPT_MAX - kept.size())));
  }

  public boolean isEmpty() {
    return count == 0;
  }

  public List<Fault> kept() {
    return List.copyOf(kept);
  }

  /** All on one line, for the message of an error. */
  public String told() {
    StringBuilder told = new StringBuilder();
    for (Fault fault : kept) {
      told.append(told.isEmpty() ? "" : "; ").append(fault);
    }
    if (count > kept.size()) {
      told.append("; and ").append(count - kept.size()).append(" more");
    }
    return told.toString();
  }
}
