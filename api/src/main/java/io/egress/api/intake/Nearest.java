package io.egress.api.intake;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.IntStream;

/** What somebody may have meant by a name that is not known. */
public final class Nearest {
  private Nearest() {}

  /** {@code ; did you mean state?}, or all names if none is near. */
  public static String hint(String name, Collection<String> known) {
    if (known.isEmpty()) {
      return "; this call has none";
    }
    return known.stream()
        .filter(each -> distance(name, each) <= Math.max(1, each.length() / 2))
        .min(Comparator.comparingInt(each -> distance(name, each)))
        .map(each -> "; did you mean " + each + "?")
        .orElse(
            (known.size() == 1 ? "; the only known one is " : "; the known ones are ")
                + String.join(", ", known));
  }

  /** The number of characters to insert, remove or replace. */
  static int distance(String one, String other) {
    int[] row = IntStream.rangeClosed(0, other.length()).toArray();
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
