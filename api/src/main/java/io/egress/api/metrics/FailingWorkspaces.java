package io.egress.api.metrics;

import io.egress.platform.database.Rows;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts endpoints of which every attempt has failed for five minutes, by workspace. Only the
 * workspaces with the most of them are named, so the number of series is bounded.
 */
public final class FailingWorkspaces {
  private static final Duration PERIOD = Duration.ofSeconds(15);

  private static final String COUNT =
      """
      select workspace_id, count(*) as endpoints, sum(count(*)) over () as all_endpoints
      from endpoints
      where failing_since < now() - interval '5 minutes' and not paused and deleted_at is null
      group by workspace_id order by 2 desc, 1 limit 20
      """;

  private final Pool pool;
  private final MultiGauge worst;
  private final Recurring looking;
  private volatile double all = Double.NaN;

  public FailingWorkspaces(Vertx vertx, Pool pool, Metrics metrics) {
    this.pool = pool;
    this.worst =
        metrics.gauges(
            "egress_workspace_endpoints_failing",
            "endpoints of which every attempt has failed for five minutes, of the 20 workspaces with the most");
    metrics.gauge(
        "egress_endpoints_failing",
        "endpoints of which every attempt has failed for five minutes",
        () -> all);
    this.looking =
        new Recurring(vertx, "counting failing endpoints", this::look)
            .onFailure(_ -> showNothing())
            .nowAndEvery(PERIOD);
  }

  public void close() {
    looking.close();
  }

  private void look() {
    double sum = 0;
    List<MultiGauge.Row<?>> shown = new ArrayList<>();
    for (Row row : Rows.of(pool, COUNT)) {
      sum = row.getDouble("all_endpoints");
      shown.add(
          MultiGauge.Row.of(
              Tags.of("workspace", row.getUUID("workspace_id").toString()),
              row.getLong("endpoints")));
    }
    worst.register(shown, true);
    all = sum;
  }

  private void showNothing() {
    all = Double.NaN;
    worst.register(List.of(), true);
  }
}
