package io.egress.dispatcher.notice;

import io.egress.dispatcher.notice.OperatorNotices.Event;
import io.egress.dispatcher.notice.OperatorNotices.Subject;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.environment.Durations;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.egress.platform.outage.Outage;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds keys that are expected to pull and do not, although there is something new for them, and
 * those that pull again. What one dispatcher finds is stored with its notice, so the others do not
 * find it again.
 */
public final class ReaderWatch {
  private static final Logger log = LoggerFactory.getLogger(ReaderWatch.class);

  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** The use of a key is stored at most that much later. */
  private static final Duration USE_IS_KNOWN_AFTER = Duration.ofSeconds(30);

  private static final int AT_ONCE_MAX = 100;

  private static final String SHOWN =
      """
      k.id, k.name, k.last_four, k.expect_within_ms, k.last_used_at, w.id as workspace_id, w.name as workspace_name\
      """;

  private static final String STOP =
      """
      update api_keys k set stopped_at = now() from workspaces w
      where w.id = k.workspace_id and k.id = any(array(
        select n.id from api_keys n
        where n.expect_within_ms is not null and n.stopped_at is null and (n.expires_at is null or n.expires_at > now())
          and coalesce(n.last_used_at, n.created_at) < now() - (n.expect_within_ms + %d) * interval '1 ms' and has_unread(n)
        limit %d for update skip locked))
      returning %s, k.stopped_at
      """
          .formatted(USE_IS_KNOWN_AFTER.toMillis(), AT_ONCE_MAX, SHOWN);

  /** An expired key is not expected to pull. */
  private static final String RESUME =
      """
      update api_keys k set stopped_at = null
      from workspaces w, (
        select n.id, n.stopped_at from api_keys n
        where n.stopped_at is not null and (n.last_used_at > n.stopped_at or n.expires_at <= now())
        limit %d for update skip locked) s
      where w.id = k.workspace_id and k.id = s.id
      returning %s, s.stopped_at, coalesce(k.last_used_at > s.stopped_at, false) as has_asked
      """
          .formatted(AT_ONCE_MAX, SHOWN);

  private static final String COUNT =
      "select count(*) as n from api_keys where stopped_at is not null";

  private final Pool pool;
  private final Transactions transactions;
  private final OperatorNotices notices;
  private final AtomicLong stopped = new AtomicLong();

  ReaderWatch(Pool pool, OperatorNotices notices) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.notices = notices;
  }

  /** Looks at once, and then periodically until that is closed. */
  public static Recurring start(Vertx vertx, Pool pool, OperatorNotices notices, Metrics metrics) {
    ReaderWatch watch = new ReaderWatch(pool, notices);
    metrics.gauge(
        "egress_readers_stopped",
        "keys that are expected to pull and do not, although there is something new for them",
        watch.stopped::get);
    return new Recurring(
            vertx, "looking for keys that have stopped reading", (Recurring.Work) watch::look)
        .reporting(
            new Outage(
                log,
                "Cannot look for keys that have stopped reading; retrying",
                "Keys that have stopped reading are found again"))
        .nowAndEvery(PERIOD);
  }

  void look() {
    while (transactions.call(this::resume) == AT_ONCE_MAX
        || transactions.call(this::stop) == AT_ONCE_MAX) {
      // There may be more.
    }
    stopped.set(Rows.of(pool, COUNT).iterator().next().getLong("n"));
  }

  private int stop(SqlConnection tx) {
    RowSet<Row> found = Rows.of(tx, STOP);
    for (Row key : found) {
      add(tx, Event.READER_STOPPED, key);
    }
    return found.size();
  }

  private int resume(SqlConnection tx) {
    RowSet<Row> found = Rows.of(tx, RESUME);
    for (Row key : found) {
      if (key.getBoolean("has_asked")) {
        add(tx, Event.READER_RESUMED, key);
      }
    }
    return found.size();
  }

  private void add(SqlConnection tx, Event event, Row key) {
    Duration expectWithin = Rows.optionalDuration(key, "expect_within_ms");
    notices.addAbout(
        tx,
        event,
        new Subject(key.getUUID("workspace_id"), key.getString("workspace_name"), "/keys"),
        new JsonObject()
            .put("key_id", key.getUUID("id").toString())
            .put("name", key.getString("name"))
            .put("last_four", key.getString("last_four"))
            .put("expect_within", expectWithin == null ? null : Durations.format(expectWithin))
            .put("last_used_at", OperatorNotices.time(Rows.optionalInstant(key, "last_used_at")))
            .put("stopped_at", OperatorNotices.time(Rows.optionalInstant(key, "stopped_at"))));
  }
}
