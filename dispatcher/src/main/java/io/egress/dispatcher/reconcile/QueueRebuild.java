package io.egress.dispatcher.reconcile;

import io.egress.dispatcher.reconcile.MissingDeliveries.Scope;
import io.egress.dispatcher.reconcile.PendingDeliveries.Place;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.egress.webhook.delivery.Owed;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes every delivery that was owed and not finished when a rebuild was requested, from the
 * database alone, while dispatchers work.
 *
 * <p>First deliveries without an attempt come first: one page of each endpoint in turn, so that no
 * endpoint's backlog precedes all of another's. Then follow the pending ones, in the order in which
 * they are due, and each only when it is due: the database is their schedule. They are therefore
 * never in a retry topic, where a record waits behind those that are due later.
 *
 * <p>Each step is a transaction that locks what it works on and saves what it reached, so the
 * dispatchers of a fleet share the work, and it continues after a crash.
 */
public final class QueueRebuild {
  private static final Logger log = LoggerFactory.getLogger(QueueRebuild.class);

  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int STEPS_MAX = 1_000;

  private static final String UNFINISHED =
      """
      select id, requested_at, compared_at is not null as compared,
        (extract(epoch from now() - requested_at) * 1000)::bigint as age_ms,
        coalesce(next_due_at > now(), false) as waiting
      from queue_rebuilds where finished_at is null order by id desc limit 1
      """;

  private static final String START =
      "update queue_rebuilds set started_at = now() where id = $1 and started_at is null";

  /** A history is the backfill with its endpoint's id; its positions are below the live ones. */
  private static final String NEXT_ENDPOINT =
      """
      select e.id, e.created_position, e.created_at, e.full_history, e.filters::text as filters, e.workspace_id,
        greatest(e.created_position, r.position) as live_above,
        case when r.rebuild = $1 then r.rebuild_position end as reached,
        b.first_position, least(b.next_position - 1, b.last_position) as history_up_to, %s
      from reconciliations r join endpoints e on e.id = r.endpoint_id
        left join backfills b on b.id = e.id and b.created_at > now() - $2::bigint * interval '1 ms'
      where e.deleted_at is null and (r.rebuild < $1 or not r.rebuild_done)
      order by r.rebuild = $1, r.rebuild_visited_at limit 1 for update of r skip locked
      """
          .formatted(MissingDeliveries.LIVE_UP_TO);

  private static final String SAVE_ENDPOINT =
      """
      update reconciliations set rebuild = $2, rebuild_position = $3, rebuild_done = $4, rebuild_visited_at = now()
      where endpoint_id = $1
      """;

  private static final String COUNT_FIRST =
      "update queue_rebuilds set published_first = published_first + $2 where id = $1";

  /** Unless another process is comparing an endpoint. */
  private static final String COMPARED =
      """
      update queue_rebuilds set compared_at = now()
      where id = $1 and not exists (
        select from reconciliations r join endpoints e on e.id = r.endpoint_id
        where e.deleted_at is null and (r.rebuild < $1 or not r.rebuild_done))
      """;

  private static final String TAKE_PENDING =
      """
      select due_up_to, id_up_to, requested_at from queue_rebuilds
      where id = $1 and finished_at is null for update skip locked
      """;

  private static final String SAVE_PENDING =
      """
      update queue_rebuilds set
        due_up_to = $2, id_up_to = $3, published_pending = published_pending + $4, next_due_at = $5,
        finished_at = case when $6 then now() end
      where id = $1
      returning published_first, published_pending
      """;

  private final Pool pool;
  private final Republisher republisher;
  private final Duration remembered;
  private final Recurring stepping;
  private final Outage outage =
      new Outage(log, "Cannot rebuild the queue; retrying", "The rebuild of the queue continues");
  private volatile boolean running;
  private volatile boolean stopping;

  /** {@code logRetention} is how long the delivery log is kept; older deliveries are unknown. */
  public QueueRebuild(Vertx vertx, Pool pool, Republisher republisher, Duration logRetention) {
    this.pool = pool;
    this.republisher = republisher;
    this.remembered = logRetention.minusDays(1);
    this.stepping =
        new Recurring(vertx, "rebuilding the queue", this::advance)
            .onFailure(this::failed)
            .every(PERIOD);
  }

  /** Whether a rebuild is unfinished. */
  public boolean isRunning() {
    return running;
  }

  public void close() {
    stopping = true;
    stepping.close();
  }

  private void advance() {
    running = Rows.of(pool, UNFINISHED).size() > 0;
    boolean more = running;
    for (int steps = 0; more && steps < STEPS_MAX && !stopping; steps++) {
      more = Transactions.callOnce(pool, this::step);
    }
    outage.worked();
  }

  /** Without a rebuild, others report the outage. */
  private void failed(Throwable failure) {
    if (running) {
      outage.failed(failure);
    } else {
      log.debug("Cannot look for a rebuild of the queue", failure);
    }
  }

  /** Returns whether there is more to do now. */
  private boolean step(SqlConnection tx) {
    Row rebuild = Rows.one(Rows.of(tx, UNFINISHED), row -> row).orElse(null);
    running = rebuild != null;
    if (rebuild == null || rebuild.getBoolean("waiting")) {
      return false;
    }
    return rebuild.getBoolean("compared")
        ? publishPending(tx, rebuild.getLong("id"))
        : compare(tx, rebuild.getLong("id"), Duration.ofMillis(rebuild.getLong("age_ms")));
  }

  private boolean compare(SqlConnection tx, long rebuild, Duration age) {
    Rows.of(tx, Reconciler.ADD_NEW);
    Rows.of(tx, START, rebuild);
    Row endpoint =
        Rows.one(Rows.of(tx, NEXT_ENDPOINT, rebuild, remembered), row -> row).orElse(null);
    if (endpoint == null) {
      return Rows.of(tx, COMPARED, rebuild).rowCount() == 1;
    }
    comparePage(tx, rebuild, age, endpoint);
    return true;
  }

  private void comparePage(SqlConnection tx, long rebuild, Duration age, Row endpoint) {
    Owed owed = Owed.of(endpoint);
    UUID workspaceId = endpoint.getUUID("workspace_id");
    long liveAbove = endpoint.getLong("live_above");
    Long historyUpTo = endpoint.getLong("history_up_to");
    Long reached = endpoint.getLong("reached");
    long above = reached != null ? reached : historyUpTo == null ? liveAbove : firstAbove(endpoint);
    boolean isHistory = historyUpTo != null && above < historyUpTo;
    Scope scope =
        isHistory
            ? Scope.history(owed, workspaceId, historyUpTo)
            : Scope.live(owed, workspaceId, endpoint.getLong("live_up_to"), remembered, age);
    MissingDeliveries.Page page =
        MissingDeliveries.above(tx, scope, isHistory ? above : Math.max(above, liveAbove));
    republisher.publish(page.missing());
    Rows.of(
        tx,
        SAVE_ENDPOINT,
        owed.endpointId(),
        rebuild,
        isHistory && page.isLast() ? liveAbove : page.reached(),
        page.isLast() && !isHistory);
    Rows.of(tx, COUNT_FIRST, rebuild, page.missing().size());
  }

  private static long firstAbove(Row endpoint) {
    return endpoint.getLong("first_position") - 1;
  }

  private boolean publishPending(SqlConnection tx, long rebuild) {
    Row taken = Rows.one(Rows.of(tx, TAKE_PENDING, rebuild), row -> row).orElse(null);
    if (taken == null) {
      return false;
    }
    OffsetDateTime requestedAt = taken.getOffsetDateTime("requested_at");
    PendingDeliveries.Page page =
        PendingDeliveries.after(tx, Place.of(taken), Duration.ZERO, requestedAt);
    republisher.publish(page.deliveries());
    OffsetDateTime nextDue =
        page.isLast() ? PendingDeliveries.nextDue(tx, page.reached(), requestedAt) : null;
    savePending(tx, rebuild, page, nextDue);
    return !page.isLast();
  }

  private static void savePending(
      SqlConnection tx,
      long rebuild,
      PendingDeliveries.Page page,
      @Nullable OffsetDateTime nextDue) {
    boolean finished = page.isLast() && nextDue == null;
    RowSet<Row> saved =
        Rows.of(
            tx,
            SAVE_PENDING,
            rebuild,
            page.reached().dueAt(),
            page.reached().id(),
            page.deliveries().size(),
            nextDue,
            finished);
    if (finished) {
      Row counts = saved.iterator().next();
      log.atInfo()
          .addKeyValue("first", counts.getLong("published_first"))
          .addKeyValue("pending", counts.getLong("published_pending"))
          .log("Rebuilt the queue");
    }
  }
}
