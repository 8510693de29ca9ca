package io.egress.api.sweep;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/**
 * Inbox and outbox are empty at most times and deep at others. A plan that was kept from when they
 * were empty reads and sorts all of a backlog for each batch of it.
 */
final class FreshPlan {
  private static final String ASK = "set local plan_cache_mode = force_custom_plan";

  private FreshPlan() {}

  /** For what follows in the transaction; need not be waited for. */
  static Future<?> ask(SqlConnection tx) {
    return tx.query(ASK).execute();
  }
}
