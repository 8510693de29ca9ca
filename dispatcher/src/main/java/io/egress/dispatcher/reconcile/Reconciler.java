package io.egress.dispatcher.reconcile;

import io.egress.dispatcher.reconcile.MissingDeliveries.Page;
import io.egress.dispatcher.reconcile.MissingDeliveries.Scope;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Owed;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
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
      select e.id, e.created_position, e.created_at, e.full_history, e.filters::text as filters,
        e.workspace_id, r.position, r.published_position,
        r.published_at > now() - $1::bigint * interval '1 ms' as published_lately, %s
      from reconciliations r join endpoints e on e.id = r.endpoint_id
      where r.checked_at < now() - $2::bigint * interval '1 ms'
        and e.deleted_at is null and not e.paused
      order by r.checked_at limit 1 for update of r skip locked
      """
          .formatted(MissingDeliveries.LIVE_UP_TO);

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

  private final Pool pool;
  private final Republisher republisher;
  private final OverdueDeliveries overdue;
  private final Rhythm rhythm;
  private final Recurring rounds;
  private volatile boolean stopping;

  public Reconciler(Vertx vertx, Pool pool, Republisher republisher, Rhythm rhythm) {
    this.pool = pool;
    this.republisher = republisher;
    this.rhythm = rhythm;
    this.overdue = new OverdueDeliveries(pool, republisher, rhythm.after());
    this.rounds =
        new Recurring(vertx, "looking for overdue deliveries", this::round)
            .reporting(
                new Outage(
                    log,
                    "Cannot look for overdue deliveries; retrying",
                    "The search for overdue deliveries works again"))
            .every(rhythm.period());
  }

  /** Completes when the endpoint in progress is finished. */
  public Future<Void> close() {
    stopping = true;
    return rounds.stop();
  }

  private void round() {
    Rows.of(pool, ADD_NEW);
    boolean more = true;
    for (int endpoints = 0; more && endpoints < ENDPOINTS_MAX && !stopping; endpoints++) {
      more = Transactions.callOnce(pool, this::reconcileNext);
    }
    more = true;
    while (more && !stopping) {
      more = overdue.publishSome();
    }
  }

  /** Returns whether there was an endpoint to compare. */
  private boolean reconcileNext(SqlConnection tx) {
    Row next =
        Rows.one(Rows.of(tx, NEXT, rhythm.after(), rhythm.period()), row -> row).orElse(null);
    if (next == null) {
      return false;
    }
    UUID endpointId = next.getUUID("id");
    Scope owed =
        Scope.live(
            Owed.of(next),
            next.getUUID("workspace_id"),
            next.getLong("live_up_to"),
            rhythm.remembered(),
            rhythm.after());
    Page page = MissingDeliveries.above(tx, owed, next.getLong("position"));
    long publishedUpTo =
        next.getBoolean("published_lately") ? next.getLong("published_position") : 0;
    List<Delivery> again =
        page.missing().stream().filter(delivery -> delivery.position() > publishedUpTo).toList();
    republisher.publish(again);
    if (!again.isEmpty()) {
      log.atInfo()
          .addKeyValue("endpoint_id", endpointId)
          .addKeyValue("deliveries", again.size())
          .log("Published deliveries that had no attempt again");
    }
    save(tx, endpointId, page, again);
    return true;
  }

  /** The next round begins at the first missing delivery; immediately if there are more. */
  private static void save(SqlConnection tx, UUID endpointId, Page page, List<Delivery> again) {
    List<Delivery> missing = page.missing();
    Rows.of(
        tx,
        SAVE,
        endpointId,
        missing.isEmpty() ? page.reached() : missing.getFirst().position() - 1,
        !page.isLast() && missing.isEmpty(),
        again.isEmpty() ? null : again.getLast().position());
  }
}
