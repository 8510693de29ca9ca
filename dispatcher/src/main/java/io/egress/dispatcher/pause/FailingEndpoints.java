package io.egress.dispatcher.pause;

import static java.util.Objects.requireNonNull;

import io.egress.audit.Act;
import io.egress.audit.AuditLog;
import io.egress.audit.Caller;
import io.egress.database.Transactions;
import io.egress.document.UtcInstant;
import io.egress.endpoint.EndpointTarget;
import io.egress.outage.Outage;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses endpoints whose attempts have all failed for a configured time. The start of the failures
 * is stored in the endpoint's row, so it survives restarts and moves between workers; it is written
 * only when an endpoint starts or stops failing. Shared by all workers of the process.
 */
public final class FailingEndpoints {
  private static final Logger log = LoggerFactory.getLogger(FailingEndpoints.class);

  private static final int BEGUN_MAX = 10_000;

  /** No attempt prepared before an endpoint was found to fail takes longer. */
  private static final Duration UNDER_WAY_MAX = Duration.ofMinutes(1);

  private static final String BEGIN =
      """
      update endpoints set failing_since = $2
      where id = $1 and failing_since is null and not paused and deleted_at is null
      """;
  private static final String END =
      "update endpoints set failing_since = null where id = $1 and failing_since is not null";

  /** Resuming an endpoint sets failing_since to null. */
  private static final String PAUSE =
      """
      update endpoints set paused = true, paused_at = now(), paused_reason = 'failing', updated_at = now()
      where id = $1 and failing_since = $2 and not paused and deleted_at is null
      returning id, workspace_id, failing_since, paused_at
      """;

  private final Pool pool;
  private final Transactions transactions;
  private final Clock clock;
  private final @Nullable Duration pauseAfter;
  private final Counter paused;
  private final OperatorNotices notices;

  /**
   * When this process recorded that an endpoint fails; attempts in progress do not know that yet.
   */
  private final Map<UUID, Instant> begun =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<UUID, Instant> eldest) {
              return size() > BEGUN_MAX;
            }
          });

  private final Set<UUID> pausing = ConcurrentHashMap.newKeySet();
  private final Outage writing =
      new Outage(
          log,
          "Cannot record that an endpoint fails; retrying with its next attempt",
          "Failing endpoints are recorded again");

  /** Without {@code pauseAfter} nothing is recorded, and no endpoint paused. */
  public FailingEndpoints(
      Pool pool,
      Clock clock,
      @Nullable Duration pauseAfter,
      Counter paused,
      OperatorNotices notices) {
    this.pool = requireNonNull(pool, "pool is null");
    this.transactions = new Transactions(pool);
    this.clock = requireNonNull(clock, "clock is null");
    this.pauseAfter = pauseAfter;
    this.paused = requireNonNull(paused, "paused is null");
    this.notices = requireNonNull(notices, "notices is null");
  }

  /**
   * {@code target} is what the attempt was prepared with. Also clears the start of the failures if
   * the pause is disabled: an earlier configuration may have left one, which would count again
   * later.
   */
  public void delivered(EndpointTarget target) {
    if (target.failingSince() == null && !begun.containsKey(target.id())) {
      return;
    }
    begun.remove(target.id());
    pool.preparedQuery(END)
        .execute(Tuple.of(target.id()))
        .onSuccess(ended -> writing.worked())
        .onFailure(failure -> writing.failed(failure, Map.of("endpoint_id", target.id())));
  }

  /** {@code target} is what the attempt was prepared with. */
  public void failed(EndpointTarget target, Instant startedAt) {
    if (pauseAfter == null) {
      return;
    }
    Instant since = target.failingSince();
    if (since == null) {
      begin(target.id(), startedAt);
    } else if (!since.plus(pauseAfter).isAfter(clock.instant()) && pausing.add(target.id())) {
      pause(target.id(), since).onComplete(done -> pausing.remove(target.id()));
    }
  }

  private void begin(UUID id, Instant startedAt) {
    Instant now = clock.instant();
    Instant before = begun.get(id);
    if (before != null && before.plus(UNDER_WAY_MAX).isAfter(now)) {
      return;
    }
    begun.put(id, now);
    pool.preparedQuery(BEGIN)
        .execute(Tuple.of(id, startedAt.atOffset(ZoneOffset.UTC)))
        .onSuccess(written -> writing.worked())
        .onFailure(
            failure -> {
              begun.remove(id);
              writing.failed(failure, Map.of("endpoint_id", id));
            });
  }

  private Future<?> pause(UUID id, Instant since) {
    return transactions
        .run(
            tx ->
                tx.preparedQuery(PAUSE)
                    .execute(Tuple.of(id, since.atOffset(ZoneOffset.UTC)))
                    .map(FailingEndpoints::first)
                    .compose(found -> audit(tx, found)))
        .onSuccess(
            found -> {
              writing.worked();
              found.ifPresent(this::tell);
            })
        .onFailure(failure -> writing.failed(failure, Map.of("endpoint_id", id)));
  }

  private static Future<Optional<PausedEndpoint>> audit(
      SqlConnection tx, Optional<PausedEndpoint> found) {
    if (found.isEmpty()) {
      return Future.succeededFuture(found);
    }
    PausedEndpoint endpoint = found.get();
    JsonObject changes =
        new JsonObject()
            .put("reason", "failing")
            .put("failing_since", UtcInstant.format(endpoint.failingSince()));
    Act act = new Act("endpoint.paused", "endpoint", endpoint.id(), changes);
    return AuditLog.write(tx, endpoint.workspaceId(), Caller.SYSTEM, act).map(found);
  }

  private void tell(PausedEndpoint endpoint) {
    begun.remove(endpoint.id());
    paused.increment();
    log.atWarn()
        .addKeyValue("endpoint_id", endpoint.id())
        .addKeyValue("workspace_id", endpoint.workspaceId())
        .addKeyValue("failing_since", UtcInstant.format(endpoint.failingSince()))
        .log("Endpoint paused: every attempt failed for EGRESS_PAUSE_FAILING_AFTER");
    notices.send(endpoint);
  }

  private static Optional<PausedEndpoint> first(RowSet<Row> rows) {
    RowIterator<Row> all = rows.iterator();
    if (!all.hasNext()) {
      return Optional.empty();
    }
    Row row = all.next();
    return Optional.of(
        new PausedEndpoint(
            row.getUUID("id"),
            row.getUUID("workspace_id"),
            row.getOffsetDateTime("failing_since").toInstant(),
            row.getOffsetDateTime("paused_at").toInstant()));
  }
}
