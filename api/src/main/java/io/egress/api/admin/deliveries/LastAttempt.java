package io.egress.api.admin.deliveries;

import io.egress.webhook.send.FailureText;
import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/** How the last attempt of a delivery ended. */
record LastAttempt(String outcome, @Nullable Integer status, @Nullable String detail) {
  /** An index look-up for each delivery, in the partition of its day. */
  static final String READ =
      """
      select k.id, a.outcome, a.status, a.detail
      from unnest($1::date[], $2::uuid[]) as k(day, id) cross join lateral (
        select outcome, status, detail from attempts where day = k.day and delivery_id = k.id
        order by attempt desc limit 1) as a
      """;

  static LastAttempt of(Row row) {
    return new LastAttempt(
        row.getString("outcome"), row.getInteger("status"), row.getString("detail"));
  }

  /** How it failed, in words; null if it succeeded. */
  @Nullable String failure() {
    return FailureText.of(outcome, status, detail).map(FailureText::words).orElse(null);
  }
}
