package io.egress.cli.mirror;

import java.util.Locale;

/** What a run has done to the folder. */
final class Tally {
  private int created;
  private int changed;
  private int deleted;

  void put(boolean isNew, boolean same) {
    if (isNew) {
      created++;
    } else if (!same) {
      changed++;
    }
  }

  void deleted() {
    deleted++;
  }

  /** One line. */
  String summary(int captures) {
    return String.format(
        Locale.ROOT,
        "%,d new, %,d changed, %,d deleted; %,d %s",
        created,
        changed,
        deleted,
        captures,
        captures == 1 ? "capture" : "captures");
  }
}
