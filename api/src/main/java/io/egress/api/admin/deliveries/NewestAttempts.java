package io.egress.api.admin.deliveries;

import io.egress.api.admin.deliveries.EndpointHealth.LastFailure;
import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How the newest attempts to an endpoint ended.
 *
 * @param attempts the attempts judged, at most {@link EndpointHealth#JUDGED}
 * @param succeeded how many of them succeeded
 * @param recovered successes among the newest {@link EndpointHealth#RECOVERED}
 * @param lastSuccess the newest successful attempt; null if there is none
 * @param lastFailure the newest attempt if it failed; null if it succeeded, or there is none
 * @param failingSince since when every attempt has failed; null if one succeeded
 */
public record NewestAttempts(
    int attempts,
    int succeeded,
    int recovered,
    @Nullable Instant lastSuccess,
    @Nullable LastFailure lastFailure,
    @Nullable Instant failingSince) {
  /** Every row of hours with attempts has at least one of the newest. */
  static final String JOINS =
      """
      left join lateral (
        select string_agg(newest, '' order by hour) as newest from (
          select hour, newest from endpoint_hours where endpoint_id = e.id and newest <> ''
          order by hour desc limit %d) as newest) as n on true
      left join lateral (
        select last_success_at from endpoint_hours
        where endpoint_id = e.id and last_success_at is not null order by hour desc limit 1) as s on true
      left join lateral (
        select last_failure_at, last_failure from endpoint_hours
        where endpoint_id = e.id and last_failure_at is not null order by hour desc limit 1) as f on true
      """
          .formatted(EndpointHealth.JUDGED);

  static final String COLUMNS =
      "e.id as endpoint_id, e.failing_since, n.newest, s.last_success_at, f.last_failure_at,"
          + " f.last_failure";

  static NewestAttempts of(Row row) {
    Instant failingSince = Rows.optionalInstant(row, "failing_since");
    String all = row.getString("newest");
    if (all == null) {
      return new NewestAttempts(0, 0, 0, null, null, failingSince);
    }
    String newest = last(all, EndpointHealth.JUDGED);
    Instant success = Rows.optionalInstant(row, "last_success_at");
    Instant failure = Rows.optionalInstant(row, "last_failure_at");
    return new NewestAttempts(
        newest.length(),
        successes(newest),
        successes(last(newest, EndpointHealth.RECOVERED)),
        success,
        failure == null || (success != null && success.isAfter(failure))
            ? null
            : failure(failure, row.getJsonObject("last_failure")),
        failingSince);
  }

  public EndpointHealth.State judge(boolean paused) {
    return EndpointHealth.judge(paused, attempts, succeeded, recovered);
  }

  private static String last(String outcomes, int max) {
    return outcomes.substring(Math.max(0, outcomes.length() - max));
  }

  private static int successes(String outcomes) {
    return (int) outcomes.chars().filter(each -> each == '1').count();
  }

  private static LastFailure failure(Instant at, JsonObject failure) {
    return new LastFailure(
        at,
        failure.getString("outcome"),
        failure.getInteger("status"),
        failure.getString("detail"));
  }
}
