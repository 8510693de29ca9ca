package io.egress.bench.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The duration of each stage of a capture between two readings, from the service's own metrics. */
final class StageTimes {
  private record Stage(String name, String metric, String label) {}

  /** The first is measured by itself, the others from the entry into the stream. */
  private static final List<Stage> STAGES =
      List.of(
          new Stage("hook answered", "egress_hook_duration_seconds", "outcome=\"ok\""),
          new Stage("  published", "egress_publish_delay_seconds", ""),
          new Stage("  fanned out", "egress_fanout_delay_seconds", ""),
          new Stage("  attempt begun", "egress_first_attempt_delay_seconds", "origin=\"live\""),
          new Stage("  arrived", "egress_delivery_delay_seconds", "origin=\"live\""));

  private final List<URI> roles;
  private final Map<String, NavigableMap<Double, Double>> before;

  private StageTimes(List<URI> roles) {
    this.roles = roles;
    this.before = look(roles);
  }

  /** {@code internalPorts} are those of an api and of a dispatcher. */
  static StageTimes begin(int... internalPorts) {
    List<URI> roles = new ArrayList<>();
    for (int port : internalPorts) {
      roles.add(URI.create("http://127.0.0.1:" + port + "/metrics"));
    }
    return new StageTimes(List.copyOf(roles));
  }

  /** Percentiles are interpolated between the bounds of the histograms. */
  void printSince() {
    Map<String, NavigableMap<Double, Double>> after = look(roles);
    Table table = new Table("p50 ms", "p99 ms", "p99.9 ms");
    for (Stage stage : STAGES) {
      NavigableMap<Double, Double> counts = after.getOrDefault(stage.name(), new TreeMap<>());
      Map<Double, Double> earlier = before.getOrDefault(stage.name(), new TreeMap<>());
      counts.replaceAll((bound, count) -> count - earlier.getOrDefault(bound, 0.0));
      table.add(
          stage.name(),
          percentileMillis(counts, 0.5),
          percentileMillis(counts, 0.99),
          percentileMillis(counts, 0.999));
    }
    table.print();
  }

  /** {@code counts} are cumulative, keyed by upper bound in seconds. */
  static double percentileMillis(NavigableMap<Double, Double> counts, double share) {
    double wanted = counts.isEmpty() ? 0 : share * counts.lastEntry().getValue();
    double lowerBound = 0;
    double below = 0;
    for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
      double upTo = bucket.getValue();
      if (upTo >= wanted && upTo > below) {
        double upper = bucket.getKey().isInfinite() ? lowerBound : bucket.getKey();
        double part = (wanted - below) / (upTo - below);
        return 1_000 * (lowerBound + part * (upper - lowerBound));
      }
      lowerBound = bucket.getKey();
      below = upTo;
    }
    return Double.NaN;
  }

  private static Map<String, NavigableMap<Double, Double>> look(List<URI> roles) {
    Map<String, NavigableMap<Double, Double>> seen = new LinkedHashMap<>();
    for (URI role : roles) {
      String text = scrape(role);
      for (Stage stage : STAGES) {
        Matcher bucket = bucket(stage).matcher(text);
        while (bucket.find()) {
          String bound = bucket.group(1);
          double seconds =
              bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
          seen.computeIfAbsent(stage.name(), _ -> new TreeMap<>())
              .merge(seconds, Double.parseDouble(bucket.group(2)), Double::sum);
        }
      }
    }
    return seen;
  }

  private static Pattern bucket(Stage stage) {
    String label = stage.label().isEmpty() ? "" : Pattern.quote(stage.label()) + ",";
    return Pattern.compile(
        "^" + stage.metric() + "_bucket\\{" + label + "le=\"([^\"]+)\"\\} (\\S+)$",
        Pattern.MULTILINE);
  }

  private static String scrape(URI metrics) {
    try {
      HttpRequest request = HttpRequest.newBuilder(metrics).build();
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    } catch (IOException failure) {
      throw new IllegalStateException("cannot read " + metrics, failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", interrupted);
    }
  }
}
