package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.platform.database.Standby;
import io.egress.platform.metrics.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts which server pages were read from, and why the primary stood in for the standby. */
final class PageSources {
  /** Why the primary reads a page although there is a standby. */
  enum Reason {
    /** No standby answers. */
    AWAY,
    /** It is further behind than allowed. */
    LAG,
    /** It is not a standby any more. */
    PROMOTED,
    /** It lacks the key, the cursor's position, or everything after it. */
    BEHIND_CURSOR,
    /** It lacks an erasure of the workspace. */
    ERASURE,
    /** It lacks a change of a capture on the page. */
    CHANGE,
    /** Its stream is not the primary's. */
    HISTORY;

    static Reason of(Standby.Unfit unfit) {
      return switch (unfit) {
        case AWAY -> AWAY;
        case LAG -> LAG;
        case PROMOTED -> PROMOTED;
      };
    }
  }

  private final Counter primary;
  private final Counter standby;
  private final Map<Reason, Counter> replaced = new EnumMap<>(Reason.class);

  PageSources(Metrics metrics) {
    primary = pages(metrics, "primary");
    standby = pages(metrics, "standby");
    for (Reason reason : Reason.values()) {
      replaced.put(
          reason,
          metrics.counter(
              "egress_pull_standby_replaced_total",
              "pages that the primary read in place of a standby",
              "reason",
              reason.name().toLowerCase(Locale.ROOT)));
    }
  }

  private static Counter pages(Metrics metrics, String server) {
    return metrics.counter(
        "egress_pull_pages_total", "pages read, by the server they came from", "server", server);
  }

  void read(StreamPage page) {
    (page.standby() == null ? primary : standby).increment();
  }

  void replaced(Reason reason) {
    requireNonNull(replaced.get(reason)).increment();
  }
}
