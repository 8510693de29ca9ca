package io.egress.api.hook;

import io.egress.platform.http.CallMeter;
import io.egress.platform.http.UnansweredCalls;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.metrics.PerValue;
import io.micrometer.core.instrument.Counter;
import java.util.Locale;

/** Counts calls of hook and import, and the results of their captures. */
final class HookMeters {
  private static final String REFUSED = "refused";

  final CallMeter hook;
  final UnansweredCalls unanswered = new UnansweredCalls();
  final CallMeter imports;
  private final PerValue<PutResult, Counter> put;
  private final PerValue<PutResult, Counter> imported;
  private final Counter refusedLines;
  private final Counter refusedByRate;
  private final Counter importsDelayed;

  HookMeters(Metrics metrics) {
    hook =
        new CallMeter(
            metrics, "egress_hook_duration_seconds", "duration of calls of the completion hook");
    imports = new CallMeter(metrics, "egress_import_duration_seconds", "duration of imports");
    metrics.gauge(
        "egress_hook_oldest_seconds",
        "age of the oldest call of the completion hook that is not answered",
        unanswered::oldestSeconds);
    put = new PerValue<>(PutResult.class, result -> captures(metrics, "hook", word(result)));
    imported = new PerValue<>(PutResult.class, result -> captures(metrics, "import", word(result)));
    refusedLines = captures(metrics, "import", REFUSED);
    refusedByRate = rateExceeded(metrics, "hook");
    importsDelayed = rateExceeded(metrics, "import");
  }

  void put(PutResult result) {
    put.of(result).increment();
  }

  void imported(PutResult result) {
    imported.of(result).increment();
  }

  void refusedByRate() {
    refusedByRate.increment();
  }

  /** A batch of an import has to wait. */
  void importDelayed() {
    importsDelayed.increment();
  }

  void refusedLine() {
    refusedLines.increment();
  }

  private static Counter rateExceeded(Metrics metrics, String via) {
    return metrics.counter(
        "egress_workspace_rate_exceeded_total",
        "captures refused, and batches of imports delayed, because of EGRESS_WORKSPACE_RATE",
        "via",
        via);
  }

  private static Counter captures(Metrics metrics, String via, String result) {
    return metrics.counter(
        "egress_captures_put_total", "captures received, by result", "via", via, "result", result);
  }

  private static String word(PutResult result) {
    return result.refusal() != null ? REFUSED : result.name().toLowerCase(Locale.ROOT);
  }
}
