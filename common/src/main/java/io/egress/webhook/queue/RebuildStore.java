package io.egress.webhook.queue;

import io.egress.platform.audit.Act;
import io.egress.platform.audit.AuditLog;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.util.List;
import java.util.Optional;

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
  public static Rebuild begin(
      SqlClient transaction, Rebuild.Reason reason, List<String> findings, Caller caller) {
    List<String> first = findings.stream().limit(FINDINGS_MAX).toList();
    Rows.of(transaction, SUPERSEDE);
    Rebuild begun =
        rebuild(
            Rows.of(transaction, ADD, reason.word(), first.toArray(String[]::new))
                .iterator()
                .next());
    AuditLog.record(transaction, null, caller, act(begun));
    return begun;
  }

  /** The newest one, if there was any. */
  public static Optional<Rebuild> newest(SqlClient client) {
    return Rows.one(Rows.of(client, NEWEST), RebuildStore::rebuild);
  }

  /** Why the topics can lose records; empty if they cannot, or if no dispatcher has run. */
  public static List<String> weaknesses(SqlClient client) {
    return Rows.one(Rows.of(client, WEAKNESSES), row -> List.of(row.getArrayOfStrings(0)))
        .orElse(List.of());
  }

  private static Act act(Rebuild rebuild) {
    boolean lost = rebuild.reason() == Rebuild.Reason.LOST;
    JsonObject changes = new JsonObject().put("rebuild", rebuild.id());
    if (lost) {
      changes.put("findings", new JsonArray(rebuild.findings()));
    }
    return new Act(lost ? "queue.lost" : "queue.rebuild_requested", "queue", null, changes);
  }

  private static Rebuild rebuild(Row row) {
    return new Rebuild(
        row.getLong("id"),
        Rebuild.Reason.of(row.getString("reason")),
        List.of(row.getArrayOfStrings("findings")),
        Rebuild.State.of(row.getString("state")),
        Rows.instant(row, "requested_at"),
        row.getLong("published"),
        Rows.optionalInstant(row, "next_due_at"),
        Rows.optionalInstant(row, "finished_at"));
  }
}
