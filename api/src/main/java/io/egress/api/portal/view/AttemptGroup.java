package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Attempts in a row that ended in the same way.
 *
 * @param earlier the others, newest first
 */
public record AttemptGroup(AttemptRow newest, List<AttemptRow> earlier) {
  public AttemptGroup {
    requireNonNull(newest, "newest is null");
    earlier = List.copyOf(earlier);
  }

  /** Newest first; {@code attempts} are sorted oldest first. */
  public static List<AttemptGroup> of(List<AttemptRow> attempts) {
    List<AttemptRow> newestFirst = new ArrayList<>(attempts);
    Collections.reverse(newestFirst);
    List<AttemptGroup> groups = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= newestFirst.size(); i++) {
      if (i == newestFirst.size() || !newestFirst.get(i).endedLike(newestFirst.get(start))) {
        groups.add(new AttemptGroup(newestFirst.get(start), newestFirst.subList(start + 1, i)));
        start = i;
      }
    }
    return groups;
  }
}
