package io.egress.standalone.bench;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;

/** Two backlogs that differ in one thing, one after the other over the same servers. */
final class Comparisons {
  private static final Duration LONGER_THAN_A_RUN = Duration.ofMinutes(30);

  private final PushStage stage;
  private final int deliveries;
  private final int endpoints;
  private final Drain drain;
  private final Table table = PushResult.table();

  /** So many deliveries are counted of each backlog. */
  Comparisons(PushStage stage, int deliveries, int endpoints) {
    this.stage = requireNonNull(stage, "stage is null");
    this.deliveries = deliveries;
    this.endpoints = endpoints;
    this.drain = new Drain(stage);
  }

  /** All endpoints but one, without that one and then while it hangs. */
  void hanging(int rounds) throws InterruptedException {
    int healthy = endpoints - 1;
    String without = healthy + " healthy";
    String with = "the same, 1 hanging";
    for (int round = 1; round <= rounds; round++) {
      PushEndpoints alone = new PushEndpoints(stage);
      alone.spread(healthy);
      measure(without, "alone-" + round, alone, healthy);
      PushEndpoints beside = new PushEndpoints(stage);
      beside.spread(healthy);
      beside.hanging();
      measure(with, "hanging-" + round, beside, healthy);
      beside.endAll();
    }
    table.print();
    ratio(with, without);
  }

  void skewed(int rounds) throws InterruptedException {
    String everywhere = "spread out";
    String onePartition = "one partition";
    for (int round = 1; round <= rounds; round++) {
      PushEndpoints spread = new PushEndpoints(stage);
      spread.spread(endpoints);
      measure(everywhere, "spread-" + round, spread, endpoints);
      PushEndpoints skewed = new PushEndpoints(stage);
      skewed.skewed(endpoints);
      measure(onePartition, "skewed-" + round, skewed, endpoints);
    }
    table.print();
    ratio(onePartition, everywhere);
  }

  /** A backlog alone, and while {@code records} wait in the retry topics. */
  void waiting(int records) throws InterruptedException {
    PushEndpoints without = new PushEndpoints(stage);
    without.spread(endpoints);
    measure("none waiting", "without", without, endpoints);
    PushEndpoints with = new PushEndpoints(stage);
    with.spread(endpoints);
    List<Duration> delays =
        stage.settings().dispatcher().retrySchedule().delays().stream()
            .filter(delay -> delay.compareTo(LONGER_THAN_A_RUN) > 0)
            .toList();
    new WaitingRecords(stage.vertx(), stage.settings().kafka(), delays).write(with.made(), records);
    measure("%,d waiting".formatted(records), "with", with, endpoints);
    table.print();
  }

  private void measure(String row, String dispatcher, PushEndpoints made, int healthy)
      throws InterruptedException {
    PushResult result = drain.run(dispatcher, made, Drain.Amount.of(deliveries, healthy));
    result.addTo(table, row);
    result.printDetails(row);
  }

  private void ratio(String row, String base) {
    System.out.printf("%s / %s %.2f%n", row, base, table.median(row) / table.median(base));
  }
}
