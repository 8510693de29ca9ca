package io.egress.api.portal.view;

import io.egress.api.admin.deliveries.EndpointLatencies;
import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.webhook.deliverylog.Latencies;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How long the attempts of the last 24 hours took: bars of a logarithmic scale, and a table.
 *
 * @param day all hours together
 * @param hours those with attempts, newest first
 */
public record LatencyChart(List<LatencyChart.Bar> bars, Row day, List<LatencyChart.Row> hours) {
  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;

  /** An hour's bar up to a percentile; {@code kind} is a class of the style sheet. */
  public record Bar(String kind, String x, String y, String height) {}

  /** The percentiles in words. */
  public record Row(Instant begin, long attempts, String half, String nearlyAll) {
    static Row of(Instant begin, Latencies latencies) {
      return new Row(
          begin,
          latencies.total(),
          words(latencies.bucket(HALF)),
          words(latencies.bucket(NEARLY_ALL)));
    }
  }

  public LatencyChart {
    bars = List.copyOf(bars);
    hours = List.copyOf(hours);
  }

  /** {@code hours} has at least one, oldest first. */
  public static LatencyChart of(List<EndpointLatencies.Hour> hours, Instant now) {
    Instant first =
        now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(RecentOutcomes.HOURS - 1L));
    Latencies day = hours.getFirst().latencies().copy();
    hours.stream().skip(1).forEach(each -> day.add(each.latencies()));
    List<Bar> bars = new ArrayList<>();
    for (EndpointLatencies.Hour hour : hours) {
      long place = Duration.between(first, hour.begin()).toHours();
      bars.add(bar("nearly-all", place, hour.latencies().bucket(NEARLY_ALL)));
      bars.add(bar("half", place, hour.latencies().bucket(HALF)));
    }
    List<Row> rows =
        hours.reversed().stream().map(each -> Row.of(each.begin(), each.latencies())).toList();
    return new LatencyChart(bars, Row.of(first, day), rows);
  }

  public String label() {
    return "Last 24 hours: half of the attempts took %s, 99 of 100 took %s"
        .formatted(day.half(), day.nearlyAll());
  }

  private static Bar bar(String kind, long hour, int bucket) {
    double height = (double) DayChart.HEIGHT * (bucket + 1) / Latencies.BUCKETS;
    return new Bar(
        kind,
        number((double) hour * DayChart.WIDTH / RecentOutcomes.HOURS + 1),
        number(DayChart.HEIGHT - height),
        number(height));
  }

  private static String words(int bucket) {
    Integer end = Latencies.end(bucket);
    return end == null
        ? "more than " + Times.number(Latencies.LAST_BEGIN) + " ms"
        : "less than " + Times.number(end) + " ms";
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
