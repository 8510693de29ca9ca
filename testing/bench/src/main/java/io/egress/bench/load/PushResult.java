package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of one measurement. Everything except rate and processor time includes the warm-up.
 */
record PushResult(
    Rate rate,
    Seen seen,
    Map<String, Long> attempts,
    Map<String, Double> processorSeconds,
    GcLog heap,
    ResidentMax resident) {

  /** Counted at the receiver, besides the deliveries. */
  record Seen(int duplicates, int connections, int hung) {}

  /**
   * Counted at the receiver after the warm-up.
   *
   * @param mostSeconds until 99% had arrived, which leaves out a few retries
   */
  record Rate(int deliveries, double seconds, double mostSeconds, double meanBytes) {
    private static final double MOST = 0.99;

    static Rate of(Arrivals arrivals, int warmUp, int total) {
      int first = warmUp + 1;
      int most = (int) (warmUp + (total - warmUp) * MOST);
      return new Rate(
          total - first,
          arrivals.seconds(first, total),
          arrivals.seconds(first, Math.max(first, most)),
          arrivals.meanBytes());
    }

    double perSecond() {
      return deliveries / seconds;
    }

    double mostPerSecond() {
      return deliveries * MOST / mostSeconds;
    }
  }

  PushResult {
    attempts = Map.copyOf(attempts);
    processorSeconds = Map.copyOf(processorSeconds);
  }

  /** The heap when idle, after a collection. */
  static PushResult of(
      PushStage stage,
      Rate rate,
      Arrivals arrivals,
      Map<String, Double> processorSeconds,
      Map<String, Long> attempts,
      ChildProcess dispatcher) {
    dispatcher.collectGarbage();
    return new PushResult(
        rate,
        new Seen(arrivals.duplicates(), arrivals.connections(), arrivals.hung()),
        attempts,
        processorSeconds,
        GcLog.read(dispatcher.gcLog()),
        stage.residentMax(List.of(dispatcher)));
  }

  static Table table() {
    return new Table("deliveries/s", "to 99%", "MB/s", "seconds", "duplicates");
  }

  void addTo(Table table, String row) {
    table.add(
        row,
        rate.perSecond(),
        rate.mostPerSecond(),
        rate.perSecond() * rate.meanBytes() / 1e6,
        rate.seconds(),
        seen.duplicates());
  }

  void print(String row) {
    Table table = table();
    addTo(table, row);
    table.print();
    printDetails(row);
  }

  void printDetails(String row) {
    System.out.printf(
        "%s: %,d webhooks of %.1f KB after the first were counted%n",
        row, rate.deliveries(), rate.meanBytes() / 1e3);
    System.out.printf(
        "  the receiver saw %,d connections being made%s%n",
        seen.connections(),
        seen.hung() == 0 ? "" : ", and left %,d requests hanging".formatted(seen.hung()));
    System.out.println(
        "  attempts by outcome, warm-up included: "
            + (attempts.isEmpty() ? "none written down" : new TreeMap<>(attempts)));
    System.out.printf(
        "  dispatcher: heap %d MB at most, %d MB at most after a collection, %d MB when idle again%n",
        heap.usedMaxMegabytes(), heap.liveMaxMegabytes(), heap.liveLastMegabytes());
    resident.print();
    System.out.printf(
        "  processor seconds in %.1f s: %s%n",
        processorSeconds.getOrDefault(ProcessorTime.ELAPSED, Double.NaN),
        processorSeconds.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(ProcessorTime.ELAPSED))
            .sorted(Map.Entry.comparingByKey())
            .map(this::share)
            .collect(Collectors.joining(", ")));
  }

  private String share(Map.Entry<String, Double> group) {
    return "%s %.1f (%.0f us a delivery)"
        .formatted(group.getKey(), group.getValue(), group.getValue() * 1e6 / rate.deliveries());
  }
}
