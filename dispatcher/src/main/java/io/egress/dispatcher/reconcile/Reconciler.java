package io.egress.dispatcher.reconcile;

import io.egress.dispatcher.reconcile.MissingDeliveries.Page;
import io.egress.dispatcher.reconcile.MissingDeliveries.Scope;
import io.egress.platform.database.Transactions;
import io.egress.platform.outage.Outage;
import io.egress.webhook.delivery.Delivery;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares, in the background, the captures owed to endpoints with the delivery log. A capture
 * without an attempt some time after it entered the stream is published again, and so are retries
 * and replays that are overdue for as long: their records may have expired while no dispatcher ran,
 * or an operator may have skipped them.
 *
 * <p>The endpoint's row in {@code reconciliations} is locked meanwhile, so dispatchers share the
 * work.
 */
public final class Reconciler {
  private static final Logger log = LoggerFactory.getLogger(Reconciler.class);

  private static final Duration PERIOD_MAX = Duration.ofMinutes(1);

  /** Endpoints compared before the connection is released. */
  private static final int ENDPOINTS_MAX = 1_000;

  static final String ADD_NEW =
      """
      insert into reconciliations (endpoint_id, position)
      select id, created_position from endpoints e
      where deleted_at is null
        and not exists (select from reconciliations r where r.endpoint_id = e.id)
      on conflict do nothing
      """;

  private static final String NEXT =
      """
      select r.endpoint_id, r.position, r.published_position, e.workspace_id,
        r.published_at > now() - $1::bigint * interval '1 ms' as published_lately
      from reconciliations r join endpoints e on e.id = r.endpoint_id
      where r.checked_at < now() - $2::bigint * interval '1 ms'
        and e.deleted_at is null and not e.paused
      order by r.checked_at limit 1 for update of r skip locked
      """;

  private static final String SAVE =
      """
      update reconciliations set
        position = $2,
        checked_at = case when $3 then checked_at else now() end,
        published_position = coalesce($4, published_position),
        published_at = case when $4::bigint is null then published_at else now() end
      where endpoint_id = $1
      """;

  /**
   * When a capture without an outcome is published again.
   *
   * @param after its entry into the stream, and after the last time it was published
   * @param logRetention how long the delivery log is kept; older deliveries are unknown
   */
  public record Rhythm(Duration after, Duration logRetention) {
    Duration period() {
      return after.compareTo(PERIOD_MAX) < 0 ? after : PERIOD_MAX;
    }

    Duration remembered() {
      return logRetention.minusDays(1);
    }
  }

  private record Endpoint(UUID id, UUID workspaceId, long position, long publishedUpTo) {}

  private final Vertx vertx;
  private final Pool pool;
  private final Republisher republisher;
  private final OverdueDeliveries overdue;
  private final Rhythm rhythm;
  private final long timer;
  private final Outage outage =
      new Outage(
          log,
          "Cannot look for overdue deliveries; retrying",
          "The search for overdue deliveries works again");
  private Promise<Void> round = completed();
  private volatile boolean stopping;

  public Reconciler(Vertx vertx, Pool pool, Republisher republisher, Rhythm rhythm) {
    this.vertx = vertx;
    this.pool = pool;
    this.republisher = republisher;
    this.rhythm = rhythm;
    this.overdue = new OverdueDeliveries(pool, republisher, rhythm.after());
    this.timer = vertx.setPeriodic(rhythm.period().toMillis(), _ -> startRound());
  }

  /** Completes when the endpoint in progress is finished. */
  public Future<Void> close() {
    stopping = true;
    vertx.cancelTimer(timer);
    return round.future();
  }

  private void startRound() {
    if (!round.future().isComplete()) {
      return;
    }
    Promise<Void> started = Promise.promise();
    round = started;
    pool.query(ADD_NEW)
        .execute()
        .compose(_ -> reconcile(ENDPOINTS_MAX))
        .compose(_ -> publishOverdue())
        .onSuccess(_ -> outage.worked())
        .onFailure(outage::failed)
        .onComplete(_ -> started.complete());
  }

  private Future<Void> reconcile(int endpointsMax) {
    return Transactions.once(pool, this::reconcileNext)
        .compose(more ->
            more && endpointsMax > 1 && !stopping
                ? reconcile(endpointsMax - 1)
                : Future.succeededFuture());
  }

  private Future<Void> publishOverdue() {
    return overdue
        .publishSome()
        .compose(more -> more && !stopping ? publishOverdue() : Future.succeededFuture());
  }

  /** Returns whether there was an endpoint to compare. */
  private Future<Boolean> reconcileNext(SqlConnection tx) {
    return tx.preparedQuery(NEXT)
        .execute(Tuple.of(rhythm.after().toMillis(), rhythm.period().toMillis()))
        .compose(rows -> {
          if (rows.size() == 0) {
            return Future.succeededFuture(false);
          }
          Row row = rows.iterator().next();
          boolean lately = row.getBoolean("published_lately");
          Endpoint endpoint =
              new Endpoint(
                  row.getUUID("endpoint_id"),
                  row.getUUID("workspace_id"),
                  row.getLong("position"),
                  lately ? row.getLong("published_position") : 0);
          Scope owed =
              Scope.live(
                  endpoint.id(), endpoint.workspaceId(), rhythm.remembered(), rhythm.after());
          return MissingDeliveries.above(tx, owed, endpoint.position())
              .compose(page -> publishAndSave(tx, endpoint, page))
              .map(_ -> true);
        });
  }

  private Future<Void> publishAndSave(SqlConnection tx, Endpoint endpoint, Page page) {
    List<Delivery> again =
        page.missing().stream()
            .filter(delivery -> delivery.position() > endpoint.publishedUpTo())
            .toList();
    return publish(again).compose(_ -> save(tx, endpoint, page, again));
  }

  private Future<Void> publish(List<Delivery> deliveries) {
    return republisher
        .publish(deliveries)
        .onSuccess(_ -> {
          if (!deliveries.isEmpty()) {
            log.atInfo()
                .addKeyValue("endpoint_id", deliveries.get(0).endpointId())
                .addKeyValue("deliveries", deliveries.size())
                .log("Published deliveries that had no attempt again");
          }
        });
  }

  /** The next round begins at the first missing delivery; immediately if there are more. */
  private static Future<Void> save(
      SqlConnection tx, Endpoint endpoint, Page page, List<Delivery> again) {
    List<Delivery> missing = page.missing();
    boolean more = !page.isLast() && missing.isEmpty();
    return tx.preparedQuery(SAVE)
        .execute(
            Tuple.of(
                endpoint.id(),
                missing.isEmpty() ? page.reached() : missing.get(0).position() - 1,
                more,
                again.isEmpty() ? null : again.get(again.size() - 1).position()))
        .mapEmpty();
  }

  private static Promise<Void> completed() {
    Promise<Void> done = Promise.promise();
    done.complete();
    return done;
  }
}
