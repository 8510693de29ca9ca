package io.egress.dispatcher.pause;

import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_EXHAUSTED;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_FAILING;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_PAUSED;
import static io.egress.dispatcher.notice.OperatorNotices.Event.ENDPOINT_RECOVERED;

import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.dispatcher.pause.SeriesMemory.Step;
import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.json.UtcInstant;
import io.egress.platform.outage.Outage;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.send.Outcome;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows endpoints of which every attempt fails: records since when, notifies the operator when
 * that has lasted for a while and when it ends, and pauses them after a configured time. The start
 * of the failures is stored in the endpoint's row, so it survives restarts and moves between
 * workers; it is written only when an endpoint starts or stops failing. Shared by all workers of
 * the process.
 */
public final class FailingEndpoints {
  private static final Logger log = LoggerFactory.getLogger(FailingEndpoints.class);

  /** Long enough for one retry and a restart of the receiver. */
  private static final Duration ANNOUNCED_AFTER = Duration.ofMinutes(5);

  private static final String BEGIN =
      """
      update endpoints set failing_since = $2
      where id = $1 and failing_since is null and not paused and deleted_at is null
      """;
  private static final String END =
      """
      update endpoints e set failing_since = null
      from (select id, failing_since, failing_announced from endpoints where id = $1 for no key update) before
      where e.id = before.id and before.failing_since is not null
      returning before.failing_since,
        before.failing_announced = before.failing_since and not e.paused and e.deleted_at is null as is_told
      """;
  private static final String ANNOUNCE =
      """
      update endpoints set failing_announced = failing_since
      where id = $1 and failing_since = $2 and failing_announced is distinct from failing_since
        and not paused and deleted_at is null
      returning id
      """;

  /** Once in a long series of failures; for an endpoint that fails now and then, once a day. */
  private static final String EXHAUST =
      """
      update endpoints set exhausted_announced_at = now()
      where id = $1 and deleted_at is null and (
        exhausted_announced_at is null or exhausted_announced_at < least(failing_since, now() - interval '1 day'))
      returning id
      """;

  /** Resuming an endpoint sets failing_since to null. */
  private static final String PAUSE =
      """
      update endpoints set paused = true, paused_at = now(), paused_reason = 'failing', updated_at = now()
      where id = $1 and failing_since = $2 and not paused and deleted_at is null
      returning workspace_id, failing_since, paused_at
      """;

  private final Transactions transactions;
  private final Clock clock;
  private final @Nullable Duration pauseAfter;
  private final Counter paused;
  private final OperatorNotices notices;
  private final SeriesMemory memory = new SeriesMemory();

  /** The last write of each endpoint. */
  private final Map<UUID, Future<Void>> writes = new ConcurrentHashMap<>();

  private final Outage writing =
      new Outage(
          log,
          "Cannot record that an endpoint fails; retrying with its next attempt",
          "Failing endpoints are recorded again");

  /** Without {@code pauseAfter} no endpoint is paused. */
  public FailingEndpoints(
      Pool pool,
      Clock clock,
      @Nullable Duration pauseAfter,
      Counter paused,
      OperatorNotices notices) {
    this.transactions = new Transactions(pool);
    this.clock = clock;
    this.pauseAfter = pauseAfter;
    this.paused = paused;
    this.notices = notices;
  }

  /** {@code target} is what the attempt was prepared with. */
  public void delivered(EndpointTarget target) {
    UUID id = target.id();
    boolean isRecorded = memory.end(id);
    if (target.failingSince() != null || isRecorded) {
      write(id, null, () -> end(id));
    }
  }

  /** {@code target} is what the attempt was prepared with. */
  public void failed(EndpointTarget target, Instant startedAt, Outcome.Failed failed) {
    UUID id = target.id();
    Instant now = clock.instant();
    Instant since = target.failingSince();
    if (since == null) {
      memory
          .failed(id, startedAt, now)
          .ifPresent(start -> write(id, Step.RECORD, () -> begin(id, start)));
      return;
    }
    if (notices.areWanted()
        && isOver(since, ANNOUNCED_AFTER, now)
        && memory.may(id, Step.ANNOUNCE, now)) {
      write(id, Step.ANNOUNCE, () -> announce(id, since, answer(startedAt, failed)));
    }
    if (pauseAfter != null && isOver(since, pauseAfter, now) && memory.may(id, Step.PAUSE, now)) {
      write(id, Step.PAUSE, () -> pause(id, since, answer(startedAt, failed)));
    }
  }

  /** The attempt was the last one of a delivery, and is recorded. */
  public void exhausted(EndpointTarget target, Instant startedAt, Outcome.Failed failed) {
    UUID id = target.id();
    if (notices.areWanted() && memory.may(id, Step.TELL_OF_EXHAUSTION, clock.instant())) {
      write(id, Step.TELL_OF_EXHAUSTION, () -> exhaust(id, answer(startedAt, failed)));
    }
  }

  /**
   * Writes on a virtual thread, because attempts end on event loops; writes of an endpoint keep
   * their order.
   *
   * @param step is taken again by the next attempt if the write fails
   */
  private void write(UUID id, @Nullable Step step, Runnable work) {
    Promise<Void> promise = Promise.promise();
    Future<Void> done = promise.future();
    Future<Void> before = writes.put(id, done);
    Thread.ofVirtual()
        .name("failing endpoint")
        .start(() -> {
          try {
            if (before != null) {
              before.await();
            }
            work.run();
            writing.worked();
          } catch (Throwable failure) {
            writing.failed(failure, Map.of("endpoint_id", id));
            if (step != null) {
              memory.undo(id, step);
            }
          } finally {
            writes.remove(id, done);
            promise.complete();
          }
        });
  }

  private void begin(UUID id, Instant start) {
    transactions.call(tx -> Rows.of(tx, BEGIN, id, start));
  }

  private void end(UUID id) {
    change(
        (tx, ended) -> {
          if (Boolean.TRUE.equals(ended.getBoolean("is_told"))) {
            notices.addAbout(tx, ENDPOINT_RECOVERED, id, recovered(ended));
          }
        },
        END,
        id);
  }

  private void announce(UUID id, Instant since, JsonObject answer) {
    change((tx, _) -> notices.addAbout(tx, ENDPOINT_FAILING, id, answer), ANNOUNCE, id, since);
  }

  private void exhaust(UUID id, JsonObject answer) {
    change((tx, _) -> notices.addAbout(tx, ENDPOINT_EXHAUSTED, id, answer), EXHAUST, id);
  }

  private void pause(UUID id, Instant since, JsonObject answer) {
    change((tx, endpoint) -> recordPause(tx, id, endpoint, answer), PAUSE, id, since)
        .ifPresent(endpoint -> logPaused(id, endpoint));
  }

  /** The endpoint's row, if the statement changes it; {@code also} is then done with it. */
  private Optional<Row> change(
      BiConsumer<SqlConnection, Row> also, String statement, Object... values) {
    return transactions.call(tx -> {
      Optional<Row> changed = Rows.one(Rows.of(tx, statement, values), row -> row);
      changed.ifPresent(endpoint -> also.accept(tx, endpoint));
      return changed;
    });
  }

  private void recordPause(SqlConnection tx, UUID id, Row endpoint, JsonObject answer) {
    JsonObject changes =
        new JsonObject()
            .put("reason", "failing")
            .put("failing_since", time(endpoint, "failing_since"));
    Act act = new Act("endpoint.paused", "endpoint", id, changes);
    AuditLog.record(tx, endpoint.getUUID("workspace_id"), Caller.SYSTEM, act);
    JsonObject notice =
        answer.put("reason", "failing").put("paused_at", time(endpoint, "paused_at"));
    notices.addAbout(tx, ENDPOINT_PAUSED, id, notice);
  }

  private void logPaused(UUID id, Row row) {
    memory.end(id);
    paused.increment();
    log.atWarn()
        .addKeyValue("endpoint_id", id)
        .addKeyValue("workspace_id", row.getUUID("workspace_id"))
        .addKeyValue("failing_since", time(row, "failing_since"))
        .log("Endpoint paused: every attempt failed for EGRESS_PAUSE_FAILING_AFTER");
  }

  private JsonObject recovered(Row ended) {
    return new JsonObject()
        .put("failing_since", time(ended, "failing_since"))
        .put("recovered_at", UtcInstant.format(clock.instant()));
  }

  private static JsonObject answer(Instant startedAt, Outcome.Failed failed) {
    return new JsonObject()
        .put(
            "last_answer",
            new JsonObject()
                .put("at", UtcInstant.format(startedAt))
                .put("outcome", failed.kind().word())
                .put("status", failed.status())
                .put("detail", failed.detail()));
  }

  private static boolean isOver(Instant since, Duration duration, Instant now) {
    return !since.plus(duration).isAfter(now);
  }

  private static String time(Row row, String column) {
    return UtcInstant.format(Rows.instant(row, column));
  }
}
