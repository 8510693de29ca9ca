package io.egress.standalone.bench;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.stream.Collectors;

/** What one measurement saw. */
record PushResult(
    Rate rate,
    int duplicates,
    long hung,
    Map<String, Long> attempts,
    Map<String, Double> processorSeconds,
    GcLog heap) {

  /**
   * Counted at the receiver after the warm-up.
   *
   * @param mostSeconds until 99% had arrived: what a few retries take is not in it
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
    requireNonNull(rate, "rate is null");
    attempts = Map.copyOf(attempts);
    processorSeconds = Map.copyOf(processorSeconds);
    requireNonNull(heap, "heap is null");
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
        duplicates);
  }

  void print(String name) {
    double elapsed = processorSeconds.getOrDefault("elapsed", Double.NaN);
    System.out.printf(
        "%s: %,d webhooks of %.1f KB counted%n",
        name, rate.deliveries() + 1, rate.meanBytes() / 1e3);
    System.out.println(
        "  attempts by outcome, warm-up included: "
            + (attempts.isEmpty() ? "none written down" : attempts)
            + (hung == 0 ? "" : ", left hanging: " + hung));
    System.out.printf(
        "  dispatcher's heap: %d MB at most, %d MB at most after a collection, limit 512 MB%n",
        heap.usedMaxMegabytes(), heap.liveMaxMegabytes());
    System.out.printf(
        "  processor seconds in %.1f s: %s%n",
        elapsed,
        processorSeconds.entrySet().stream()
            .filter(entry -> !entry.getKey().equals("elapsed"))
            .sorted(Map.Entry.comparingByKey())
            .map(this::share)
            .collect(Collectors.joining(", ")));
  }

  private String share(Map.Entry<String, Double> group) {
    return "%s %.1f (%.0f us a delivery)"
        .formatted(
            group.getKey(), group.getValue(), group.getValue() * 1e6 / (rate.deliveries() + 1));
  }
}
