package io.egress.bench.load;

import io.egress.platform.lifecycle.RunningProcess;
import io.vertx.sqlclient.Pool;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Counts the attempts in the delivery log by outcome, of what is owed since yesterday. */
final class AttemptLog {
  private static final String COUNT =
      """
      select outcome, count(*) from attempts where day >= (now() at time zone 'UTC')::date - 1
      group by outcome order by outcome
      """;
  private static final String THERE = "select to_regclass('attempts') is not null";
  private static final int LOOKS_MAX = 15;

  private final Pool pool;
  private Map<String, Long> before = Map.of();

  AttemptLog(Pool pool) {
    this.pool = pool;
  }

  /** Ignores earlier entries. */
  void begin() {
    before = read();
  }

  /** Attempts are written in batches, so this waits until none was added for a second. */
  Map<String, Long> settled() throws InterruptedException {
    Map<String, Long> latest = read();
    for (int look = 0; look < LOOKS_MAX; look++) {
      TimeUnit.SECONDS.sleep(1);
      Map<String, Long> next = read();
      if (next.equals(latest)) {
        break;
      }
      latest = next;
    }
    Map<String, Long> added = new TreeMap<>();
    latest.forEach(
        (outcome, count) -> added.put(outcome, count - before.getOrDefault(outcome, 0L)));
    added.values().removeIf(count -> count == 0);
    return added;
  }

  private Map<String, Long> read() {
    Map<String, Long> counts = new TreeMap<>();
    if (RunningProcess.await(pool.query(THERE).execute()).iterator().next().getBoolean(0)) {
      RunningProcess.await(pool.query(COUNT).execute())
          .forEach(row -> counts.put(row.getString(0), row.getLong(1)));
    }
    return counts;
  }
}
