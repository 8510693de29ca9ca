package io.egress.bench.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results of several rounds, printed as medians. */
final class Table {
  private static final int PAGE = 100;

  private final String[] columns;
  private final Map<String, List<double[]>> rows = new LinkedHashMap<>();

  Table(String... columns) {
    this.columns = columns.clone();
  }

  void add(String row, PullLoad.Result result) {
    add(
        row,
        result.pagesPerSecond(),
        result.pagesPerSecond() * PAGE,
        result.megabytesPerSecond(),
        result.p50Millis(),
        result.p99Millis());
  }

  void add(String row, double... values) {
    rows.computeIfAbsent(row, _ -> new ArrayList<>()).add(values.clone());
  }

  /** The width of the first column. */
  double median(String row) {
    List<double[]> rounds = rows.get(row);
    return rounds == null ? Double.NaN : median(rounds, 0);
  }

  void print() {
    System.out.printf("%-22s", "");
    for (String column : columns) {
      System.out.printf("%14s", column);
    }
    System.out.println();
    rows.forEach((name, rounds) -> {
      System.out.printf("%-22s", name);
      for (int column = 0; column < rounds.get(0).length; column++) {
        System.out.printf("%,14.1f", median(rounds, column));
      }
      System.out.println();
    });
  }

  private static double median(List<double[]> rounds, int column) {
    double[] values = rounds.stream().mapToDouble(round -> round[column]).toArray();
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
