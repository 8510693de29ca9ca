package io.egress.dispatcher.reconcile;

import io.egress.dispatcher.reconcile.PendingDeliveries.Page;
import io.egress.dispatcher.reconcile.PendingDeliveries.Place;
import io.egress.platform.database.Transactions;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
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
  Future<Boolean> publishSome() {
    return Transactions.once(pool, this::publishSome);
  }

  private Future<Boolean> publishSome(SqlConnection tx) {
    return tx.preparedQuery(TAKE)
        .execute(Tuple.of(overdue.toMillis()))
        .compose(rows -> {
          RowIterator<Row> search = rows.iterator();
          if (!search.hasNext()) {
            return Future.succeededFuture(false);
          }
          Row row = search.next();
          boolean again = row.getBoolean("again");
          return PendingDeliveries.after(tx, Place.of(row), overdue, null)
              .compose(page -> publish(tx, page, again));
        });
  }

  private Future<Boolean> publish(SqlConnection tx, Page page, boolean again) {
    return republisher
        .publish(page.deliveries())
        .compose(_ ->
            tx.preparedQuery(SAVE)
                .execute(Tuple.of(again, page.reached().dueAt(), page.reached().id())))
        .map(_ -> {
          if (!page.deliveries().isEmpty()) {
            log.atInfo()
                .addKeyValue("deliveries", page.deliveries().size())
                .log("Published overdue deliveries again");
          }
          return !page.isLast();
        });
  }
}
