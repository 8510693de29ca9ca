package io.egress.platform.database;

import io.egress.platform.outage.Outage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A standby for reads that may be a little behind. Its pool leads to the first host that is a
 * standby and not further behind than allowed, which is checked for each connection, as for the
 * primary, and periodically. Readers check first whether there is one. Thread-safe.
 */
public final class Standby {
  private static final Logger log = LoggerFactory.getLogger(Standby.class);

  private static final Duration CHECKS_APART_MAX = Duration.ofSeconds(1);
  private static final int CHECKS_WITHIN_LAG = 4;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

  private static final String WRITTEN =
      "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as written";
  private static final String REPLAYED =
      "pg_is_in_recovery() as in_recovery,"
          + " pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint as replayed";

  /** Why no standby can be read from. */
  public enum Unfit {
    /** None answers. */
    AWAY,
    /** It is too far behind. */
    LAG,
    /** The server that answers is not a standby, or not any more. */
    PROMOTED
  }

  private final Vertx vertx;
  private final Pool reading;
  private final Duration lagMax;
  private final ReplayLag lag = new ReplayLag();
  private final ServerSearch search;
  private final Pool pool;
  private final Outage outage =
      Outage.ofItsOwn(
          log,
          "Cannot read from a standby; the primary is used instead",
          "A standby is read from again");
  private final long timer;
  private volatile @Nullable Unfit unfit = Unfit.AWAY;
  private volatile @Nullable Long completeUpToNanos;
  private boolean checking;

  /** {@code reading} leads to the primary. */
  Standby(
      Vertx vertx,
      DatabaseSettings settings,
      DatabaseSettings.Standby where,
      PoolOptions options,
      Pool reading) {
    this.vertx = vertx;
    this.reading = reading;
    this.lagMax = where.lagMax();
    this.search =
        new ServerSearch(vertx, settings, DatabaseUrl.parseStandby(where.url()), new CloseBehind());
    this.pool = new FollowingPool(vertx, search, server -> search.connect(server, options));
    long apart =
        Math.min(CHECKS_APART_MAX.toMillis(), lagMax.dividedBy(CHECKS_WITHIN_LAG).toMillis());
    this.timer = vertx.setPeriodic(0, apart, _ -> check());
  }

  /** Connections to the standby. Waits for one while {@link #unfit} is not empty. */
  public Pool pool() {
    return pool;
  }

  /** Why the standby cannot be used at the moment; empty if it can. */
  public Optional<Unfit> unfit() {
    Unfit known = unfit;
    return known == null && isTooOld(completeUpToNanos)
        ? Optional.of(Unfit.LAG)
        : Optional.ofNullable(known);
  }

  /** How far it is behind at most, in seconds; NaN if that is not known. */
  public double secondsBehind() {
    Long upTo = completeUpToNanos;
    return upTo == null ? Double.NaN : (System.nanoTime() - upTo) / 1e9;
  }

  /** Reports a failure of a statement: until the next check, a lost connection counts for all. */
  public void failed(Throwable failure) {
    if (Unavailability.isOfConnection(failure)) {
      unfit = Unfit.AWAY;
    }
  }

  public Future<Void> close() {
    vertx.cancelTimer(timer);
    return pool.close();
  }

  private void check() {
    synchronized (this) {
      if (checking) {
        return;
      }
      checking = true;
    }
    long askedNanos = System.nanoTime();
    reading
        .query(WRITTEN)
        .execute()
        .onSuccess(rows -> lag.written(rows.iterator().next().getLong("written"), askedNanos))
        .transform(_ -> LostConnections.with(pool, search::required))
        .timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .onSuccess(_ -> {
          unfit = null;
          outage.worked();
        })
        .onFailure(this::unusable)
        .onComplete(_ -> {
          synchronized (this) {
            checking = false;
          }
        });
  }

  private void unusable(Throwable failure) {
    unfit = reason(failure);
    outage.failed(failure);
    ServerSearch.Server silent = search.known();
    if (failure instanceof TimeoutException && silent != null) {
      search.failed(silent, failure);
    }
  }

  /** Of the last host, if there are several. */
  private static Unfit reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof UnfitStandbyException standby) {
        return standby.reason();
      }
    }
    return Unfit.AWAY;
  }

  private boolean isTooOld(@Nullable Long nanos) {
    return nanos == null || System.nanoTime() - nanos > lagMax.toNanos();
  }

  private final class CloseBehind implements ServerSearch.Purpose {
    @Override
    public String columns() {
      return REPLAYED;
    }

    @Override
    public void require(Row answer) {
      if (!answer.getBoolean("in_recovery")) {
        throw new UnfitStandbyException(Unfit.PROMOTED, "the server is not a standby");
      }
      OptionalLong upTo = lag.completeUpTo(answer.getLong("replayed"));
      if (upTo.isEmpty()) {
        throw new UnfitStandbyException(Unfit.LAG, "the standby is too far behind");
      }
      completeUpToNanos = upTo.getAsLong();
      if (isTooOld(upTo.getAsLong())) {
        throw new UnfitStandbyException(
            Unfit.LAG, String.format(Locale.ROOT, "the standby is %.1f s behind", secondsBehind()));
      }
    }

    @Override
    public String served() {
      return "serves pages";
    }
  }

  /** The server is not a standby, or one that is too far behind. */
  private static final class UnfitStandbyException extends NoServerException {
    private static final long serialVersionUID = 1L;

    private final Unfit reason;

    UnfitStandbyException(Unfit reason, String message) {
      super(message, null, true);
      this.reason = reason;
    }

    Unfit reason() {
      return reason;
    }
  }
}
