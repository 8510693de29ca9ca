package io.egress.dispatcher.reconcile;

import io.egress.dispatcher.reconcile.PendingDeliveries.Page;
import io.egress.dispatcher.reconcile.PendingDeliveries.Place;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes retries and replays that have been due for long and have no outcome, in the order in
 * which they are due. The search goes on where it ended, and begins again with the first one once a
 * period, so a delivery that merely waits gets one more record a period. One process of the fleet
 * searches at a time.
 */
final class OverdueDeliveries {
  private static final Logger log = LoggerFactory.getLogger(OverdueDeliveries.class);

  private static final String TAKE =
      """
      select begun_at < now() - $1::bigint * interval '1 ms' as again,
        case when begun_at < now() - $1::bigint * interval '1 ms' then 'epoch' else due_up_to end as due_up_to, id_up_to
      from overdue_search for update skip locked
      """;

  private static final String SAVE =
      """
      update overdue_search set begun_at = case when $1 then now() else begun_at end, due_up_to = $2, id_up_to = $3
      """;

  private final Pool pool;
  private final Republisher republisher;
  private final Duration overdue;

  OverdueDeliveries(Pool pool, Republisher republisher, Duration overdue) {
    this.pool = pool;
    this.republisher = republisher;
    this.overdue = overdue;
  }

  /** Returns whether there are more for now. */
  boolean publishSome() {
    return Transactions.callOnce(pool, this::publishSome);
  }

  private boolean publishSome(SqlConnection tx) {
    Row search = Rows.one(Rows.of(tx, TAKE, overdue), row -> row).orElse(null);
    if (search == null) {
      return false;
    }
    Page page = PendingDeliveries.after(tx, Place.of(search), overdue, null);
    republisher.publish(page.deliveries());
    Place reached = page.reached();
    Rows.of(tx, SAVE, search.getBoolean("again"), reached.dueAt(), reached.id());
    if (!page.deliveries().isEmpty()) {
      log.atInfo()
          .addKeyValue("deliveries", page.deliveries().size())
          .log("Published overdue deliveries again");
    }
    return !page.isLast();
  }
}
