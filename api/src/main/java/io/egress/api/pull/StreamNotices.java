package io.egress.api.pull;

import io.egress.platform.outage.Outage;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgNotification;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes held requests when their feed has grown or their key has ended, in whatever process that
 * happened.
 *
 * <p>Each request is checked once after it is held, because its feed may have grown since its page
 * was found empty. From then on PostgreSQL notifies the process, on one connection for all
 * requests. Notifications can be lost, so all requests are checked from time to time, and often
 * while there is no such connection: behind a pooler, which cannot keep one, and after a failover.
 * One query checks many requests, and one runs at a time.
 */
final class StreamNotices {
  private static final Logger log = LoggerFactory.getLogger(StreamNotices.class);

  /** For notifications and for checks. */
  static final int CONNECTIONS = 2;

  private static final String STREAM = "egress_stream";
  private static final String CHANGES = "egress_changes";
  private static final String KEY_DELETED = "egress_key_deleted";
  private static final String LISTEN =
      "listen " + STREAM + "; listen " + CHANGES + "; listen " + KEY_DELETED;

  /** The keys that are not in the result have ended. */
  private static final String CHECK =
      """
      select k.id, k.workspace_id, w.stream_head, coalesce(h.number, 0) as change_head
      from api_keys k join workspaces w on w.id = k.workspace_id
        left join change_heads h on h.workspace_id = w.id
      where k.id = any($1) and (k.expires_at is null or k.expires_at > now())
      """;

  /** A silent connection is closed, and one that is dead has to be noticed. */
  private static final String KEEP_ALIVE = "select 1";

  /** How often all are checked although notifications arrive. */
  private static final long CHECKS_APART_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Pool pool;
  private final HeldPulls held;
  private final boolean canListen;
  private final Outage outage =
      new Outage(
          log,
          "Cannot check requests that wait for captures; retrying",
          "Requests that wait for captures are checked again");
  private final Vertx vertx;
  private final long timer;

  private final Set<UUID> unchecked = new HashSet<>();
  private boolean checking;
  private boolean wanted;
  private boolean connecting;
  private boolean asked;
  private @Nullable PgConnection connection;
  private long checkedNanos = System.nanoTime();

  /**
   * @param pool of {@link #CONNECTIONS}
   * @param interval how often all are checked without notifications
   */
  StreamNotices(Vertx vertx, Pool pool, HeldPulls held, boolean canListen, Duration interval) {
    this.vertx = vertx;
    this.pool = pool;
    this.held = held;
    this.canListen = canListen;
    this.timer = vertx.setPeriodic(interval.toMillis(), tick -> tick());
  }

  /** Call for each request once it is held. */
  void check(HeldPulls.Held request) {
    synchronized (this) {
      wanted = true;
      unchecked.add(request.keyId());
    }
    listen();
    check();
  }

  void close() {
    vertx.cancelTimer(timer);
  }

  private void tick() {
    boolean checked;
    synchronized (this) {
      boolean notified = connection != null && !asked;
      checked = notified && System.nanoTime() - checkedNanos < CHECKS_APART_NANOS;
    }
    listen();
    keepAlive();
    if (!checked) {
      checkAll();
    }
  }

  private void checkAll() {
    synchronized (this) {
      checkedNanos = System.nanoTime();
      unchecked.addAll(held.keys());
    }
    check();
  }

  private void check() {
    UUID[] keys;
    synchronized (this) {
      if (checking || unchecked.isEmpty()) {
        return;
      }
      checking = true;
      keys = unchecked.toArray(UUID[]::new);
      unchecked.clear();
    }
    pool.preparedQuery(CHECK)
        .execute(Tuple.tuple().addArrayOfUUID(keys))
        .onSuccess(rows -> {
          outage.worked();
          Set<UUID> ended = new HashSet<>(Set.of(keys));
          for (Row row : rows) {
            ended.remove(row.getUUID("id"));
            UUID workspaceId = row.getUUID("workspace_id");
            held.grown(Feed.CAPTURES, workspaceId, row.getLong("stream_head"));
            held.grown(Feed.CHANGES, workspaceId, row.getLong("change_head"));
          }
          ended.forEach(held::keyEnded);
        })
        .onFailure(failure -> {
          outage.failed(failure);
          synchronized (this) {
            // The next tick checks all of them.
            checkedNanos = System.nanoTime() - CHECKS_APART_NANOS;
          }
        })
        .onComplete(done -> {
          synchronized (this) {
            checking = false;
          }
          if (done.succeeded()) {
            check();
          }
        });
  }

  /** Connects when the first request is held: many services have no clients that wait. */
  private void listen() {
    synchronized (this) {
      if (!canListen || !wanted || connecting || connection != null) {
        return;
      }
      connecting = true;
    }
    pool.getConnection()
        .map(PgConnection::cast)
        .compose(opened -> {
          opened.notificationHandler(this::heard);
          opened.closeHandler(_ -> lost(opened));
          return opened
              .query(LISTEN)
              .execute()
              .<@Nullable Void>mapEmpty()
              .onSuccess(listening -> listening(opened))
              .onFailure(_ -> opened.close());
        })
        .onComplete(_ -> {
          synchronized (this) {
            connecting = false;
          }
        });
  }

  /** What was notified before is found by a check. */
  private void listening(PgConnection opened) {
    synchronized (this) {
      connection = opened;
      asked = false;
    }
    checkAll();
  }

  private synchronized void lost(PgConnection closed) {
    if (closed.equals(connection)) {
      connection = null;
    }
  }

  private void keepAlive() {
    PgConnection open;
    synchronized (this) {
      if (connection == null || asked) {
        return;
      }
      open = connection;
      asked = true;
    }
    open.query(KEEP_ALIVE).execute().onComplete(answered -> answered(open, answered.succeeded()));
  }

  private void answered(PgConnection open, boolean alive) {
    synchronized (this) {
      if (open.equals(connection) && alive) {
        asked = false;
      }
    }
    if (!alive) {
      lost(open);
      open.close();
    }
  }

  private void heard(PgNotification notification) {
    String payload = notification.getPayload();
    if (notification.getChannel().equals(KEY_DELETED)) {
      held.keyEnded(UUID.fromString(payload));
    } else {
      int space = payload.indexOf(' ');
      held.grown(
          notification.getChannel().equals(CHANGES) ? Feed.CHANGES : Feed.CAPTURES,
          UUID.fromString(payload.substring(0, space)),
          Long.parseLong(payload.substring(space + 1)));
    }
  }
}
