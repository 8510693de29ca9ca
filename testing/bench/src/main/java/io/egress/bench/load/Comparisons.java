package io.egress.bench.load;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Compares two backlogs that differ in one respect, alternately on the same servers. */
final class Comparisons {
  private static final int WARM_UP_SHARE = 5;
  private static final Duration LONGER_THAN_A_RUN = Duration.ofMinutes(30);

  /** One side of a comparison: its name, the number of endpoints counted, and all endpoints. */
  private record Side(String row, int healthy, Consumer<PushEndpoints> endpoints) {}

  private final PushStage stage;
  private final int deliveries;
  private final int warmUp;
  private final int endpoints;
  private final Drain drain;
  private final Table table = PushResult.table();

  /** This many deliveries of each backlog are counted, after the warm-up. */
  Comparisons(PushStage stage, int deliveries, int warmUp, int endpoints) {
    this.stage = stage;
    this.deliveries = deliveries;
    this.warmUp = warmUp;
    this.endpoints = endpoints;
    this.drain = new Drain(stage);
  }

  /** All endpoints except one: without that one, and while it hangs. */
  void hanging(int rounds) throws InterruptedException {
    int healthy = endpoints - 1;
    warmUp(healthy);
    Side without = new Side(healthy + " healthy", healthy, made -> made.spread(healthy));
    Side with =
        new Side(
            "the same, 1 hanging",
            healthy,
            made -> {
              made.spread(healthy);
              made.hanging();
            });
    compare(without, with, rounds);
  }

  void skewed(int rounds) throws InterruptedException {
    warmUp(endpoints);
    Side everywhere = new Side("spread out", endpoints, made -> made.spread(endpoints));
    Side onePartition = new Side("one partition", endpoints, made -> made.skewed(endpoints));
    compare(everywhere, onePartition, rounds);
  }

  /** A backlog alone, and while {@code records} wait in the retry topics. */
  void waiting(int records) throws InterruptedException {
    warmUp(endpoints);
    PushEndpoints without = new PushEndpoints(stage);
    without.spread(endpoints);
    measure("none waiting", "only", without, endpoints);
    PushEndpoints with = new PushEndpoints(stage);
    with.spread(endpoints);
    List<Duration> delays =
        stage.settings().dispatcher().retrySchedule().delays().stream()
            .filter(delay -> delay.compareTo(LONGER_THAN_A_RUN) > 0)
            .toList();
    new WaitingRecords(stage.vertx(), stage.settings().kafka(), delays).write(with.made(), records);
    measure("%,d waiting".formatted(records), "only", with, endpoints);
    table.print();
  }

  /** Alternates the order, because the first one meets a colder receiver, broker and database. */
  private void warmUp(int healthy) throws InterruptedException {
    PushEndpoints made = new PushEndpoints(stage);
    made.spread(healthy);
    int share = Math.max(1, deliveries / WARM_UP_SHARE);
    drain.run("warm-up", made, Drain.Amount.of(share, share, healthy));
  }

  /** Each side goes first in every other round. */
  private void compare(Side base, Side other, int rounds) throws InterruptedException {
    for (int round = 1; round <= rounds; round++) {
      List<Side> order = round % 2 == 1 ? List.of(base, other) : List.of(other, base);
      for (Side side : order) {
        PushEndpoints made = new PushEndpoints(stage);
        side.endpoints().accept(made);
        measure(side.row(), "round-" + round, made, side.healthy());
        made.endAll();
      }
    }
    table.print();
    ratio(other.row(), base.row());
  }

  private void measure(String row, String dispatcher, PushEndpoints made, int healthy)
      throws InterruptedException {
    String name = "%s-%s".formatted(dispatcher, row.replaceAll("\\W+", "-"));
    PushResult result = drain.run(name, made, Drain.Amount.of(deliveries, warmUp, healthy));
    result.addTo(table, row);
    result.printDetails(row);
  }

  private void ratio(String row, String base) {
    System.out.printf("%s / %s %.2f%n", row, base, table.median(row) / table.median(base));
  }
}
