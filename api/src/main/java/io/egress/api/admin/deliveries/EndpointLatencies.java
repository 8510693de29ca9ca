package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.egress.webhook.deliverylog.Latencies;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** How long an endpoint's attempts of the last 24 hours took, by the hour in which they began. */
public final class EndpointLatencies {
  private static final String LATENCIES =
      """
      select hour, latencies from endpoint_hours
      where endpoint_id = $1 and hour >= $2 order by hour limit %d
      """
          .formatted(RecentOutcomes.HOURS + 1);

  /** An hour with at least one attempt. */
  public record Hour(Instant begin, Latencies latencies) {}

  private final Pool pool;

  public EndpointLatencies(Pool pool) {
    this.pool = pool;
  }

  /** Oldest first. */
  public List<Hour> of(UUID endpointId, Instant now) {
    Instant first =
        now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(RecentOutcomes.HOURS - 1L));
    return Rows.list(
            Rows.of(pool, LATENCIES, endpointId, first.atOffset(ZoneOffset.UTC)),
            row ->
                new Hour(
                    Rows.instant(row, "hour"), Latencies.of(row.getArrayOfIntegers("latencies"))))
        .stream()
        .filter(each -> each.latencies().total() > 0)
        .toList();
  }
}
