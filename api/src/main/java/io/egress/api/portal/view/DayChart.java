package io.egress.api.portal.view;

import io.egress.api.admin.deliveries.RecentOutcomes;
import io.egress.api.admin.deliveries.RecentOutcomes.Hour;
import io.egress.webhook.deliverylog.DeliveryState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The last 24 hours of one endpoint, or of several, as stacked bars, one per hour.
 *
 * @param hours what the bars show
 * @param scale the captures of an hour whose bar has the full height
 * @param totals the sum of each kind that occurred
 * @param label a description for screen readers
 */
public record DayChart(
    List<Hour> hours, List<DayChart.Bar> bars, long scale, Map<String, Long> totals, String label) {
  /** A segment of an hour's bar; {@code kind} is a class of the style sheet. */
  public record Bar(String kind, String x, String y, String height) {}

  public static final int WIDTH = 192;
  public static final int HEIGHT = 40;
  public static final int BAR_WIDTH = 6;
  public static final String WAITING = "waiting";
  private static final int STEP = WIDTH / RecentOutcomes.HOURS;

  /** Keeps one failure among thousands visible. */
  private static final double BAR_HEIGHT_MIN = 2;

  public DayChart {
    hours = List.copyOf(hours);
    bars = List.copyOf(bars);
  }

  /** All deliveries that the charts of endpoints show. There is at least one. */
  public static DayChart sum(List<DayChart> charts) {
    List<Hour> sums = new ArrayList<>(charts.getFirst().hours());
    for (DayChart chart : charts.subList(1, charts.size())) {
      for (int i = 0; i < sums.size(); i++) {
        sums.set(i, sums.get(i).plus(chart.hours().get(i)));
      }
    }
    return of(sums);
  }

  public static DayChart of(RecentOutcomes.Day day) {
    return of(day.hours());
  }

  private static DayChart of(List<Hour> hours) {
    long scale = scale(hours.stream().mapToLong(Hour::owed).max().orElse(0));
    List<Bar> bars = new ArrayList<>();
    Map<String, Long> totals = new LinkedHashMap<>();
    for (int i = 0; i < hours.size(); i++) {
      double top = HEIGHT;
      for (Map.Entry<String, Long> part : parts(hours.get(i)).entrySet()) {
        if (part.getValue() > 0) {
          totals.merge(part.getKey(), part.getValue(), Long::sum);
          double height = Math.max(BAR_HEIGHT_MIN, (double) HEIGHT * part.getValue() / scale);
          top = Math.max(0, top - height);
          bars.add(new Bar(part.getKey(), number(i * STEP + 1), number(top), number(height)));
        }
      }
    }
    return new DayChart(hours, bars, scale, totals, label(totals));
  }

  /** The next of 1, 2, 5, 10, 20, 50 and so on. */
  static long scale(long most) {
    long power = 1;
    while (power * 10 <= most) {
      power *= 10;
    }
    for (long step : new long[] {1, 2, 5}) {
      if (step * power >= most) {
        return step * power;
      }
    }
    return 10 * power;
  }

  /** A kind in words. */
  public static String words(String kind) {
    return kind.equals(WAITING)
        ? "not attempted yet"
        : DeliveryState.find(kind).map(DeliveryState::shown).orElse(kind);
  }

  public long total(String kind) {
    return totals.getOrDefault(kind, 0L);
  }

  /** Listed from the bottom of a bar to its top. */
  private static Map<String, Long> parts(Hour hour) {
    Map<String, Long> parts = new LinkedHashMap<>();
    parts.put("delivered", hour.delivered());
    parts.put(WAITING, hour.waiting());
    parts.put("retrying", hour.retrying());
    parts.put("skipped", hour.skipped());
    parts.put("exhausted", hour.exhausted());
    return parts;
  }

  private static String label(Map<String, Long> totals) {
    if (totals.isEmpty()) {
      return "Last 24 hours: no live deliveries";
    }
    StringJoiner label = new StringJoiner(", ", "Last 24 hours: ", "");
    totals.forEach((kind, count) -> label.add(Times.number(count) + " " + words(kind)));
    return label.toString();
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
