package io.egress.webhook.queue;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Requests and shows rebuilds of the queue, which dispatchers carry out. */
public final class RebuildStore {
  private static final int FINDINGS_MAX = 50;

  private static final String COLUMNS =
      """
      id, reason, findings, requested_at, published_first + published_pending as published, next_due_at, finished_at,
        case when finished_at is not null then 'finished' when started_at is null then 'requested'
          when next_due_at > now() then 'waiting' else 'running' end as state
      """;

  private static final String SUPERSEDE =
      "update queue_rebuilds set finished_at = now() where finished_at is null";

  private static final String ADD =
      "insert into queue_rebuilds (reason, findings) values ($1, $2) returning " + COLUMNS;

  private static final String NEWEST =
      "select " + COLUMNS + " from queue_rebuilds order by queue_rebuilds.id desc limit 1";

  private static final String WEAKNESSES = "select weaknesses from queue";

  private RebuildStore() {}

  /**
   * Adds a rebuild of everything that is owed now. One in progress ends, because the new one
   * contains the rest of it.
   */
  public static Future<Rebuild> begin(
      SqlClient transaction, Rebuild.Reason reason, List<String> findings, Caller caller) {
    List<String> first = findings.stream().limit(FINDINGS_MAX).toList();
    return transaction
        .query(SUPERSEDE)
        .execute()
        .compose(_ ->
            transaction
                .preparedQuery(ADD)
                .execute(Tuple.of(reason.word()).addArrayOfString(first.toArray(String[]::new))))
        .map(rows -> rebuild(rows.iterator().next()))
        .compose(begun -> AuditLog.write(transaction, null, caller, act(begun)).map(_ -> begun));
  }

  /** The newest one, if there was any. */
  public static Future<Optional<Rebuild>> newest(SqlClient client) {
    return client.query(NEWEST).execute().map(RebuildStore::first);
  }

  /** Why the topics can lose records; empty if they cannot, or if no dispatcher has run. */
  public static Future<List<String>> weaknesses(SqlClient client) {
    return client
        .query(WEAKNESSES)
        .execute()
        .map(rows -> {
          RowIterator<Row> row = rows.iterator();
          return row.hasNext() ? List.of(row.next().getArrayOfStrings(0)) : List.of();
        });
  }

  private static Act act(Rebuild rebuild) {
    boolean lost = rebuild.reason() == Rebuild.Reason.LOST;
    JsonObject changes = new JsonObject().put("rebuild", rebuild.id());
    if (lost) {
      changes.put("findings", new JsonArray(rebuild.findings()));
    }
    return new Act(lost ? "queue.lost" : "queue.rebuild_requested", "queue", null, changes);
  }

  private static Optional<Rebuild> first(RowSet<Row> rows) {
    RowIterator<Row> row = rows.iterator();
    return row.hasNext() ? Optional.of(rebuild(row.next())) : Optional.empty();
  }

  private static Rebuild rebuild(Row row) {
    return new Rebuild(
        row.getLong("id"),
        Rebuild.Reason.of(row.getString("reason")),
        List.of(row.getArrayOfStrings("findings")),
        Rebuild.State.of(row.getString("state")),
        row.getOffsetDateTime("requested_at").toInstant(),
        row.getLong("published"),
        instant(row.getOffsetDateTime("next_due_at")),
        instant(row.getOffsetDateTime("finished_at")));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }
}
