package io.egress.api.admin.audit;

import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the audit log, newest entries first. */
public final class AuditEntries {
  private static final String COLUMNS =
      "id, at, workspace_id, action, kind, thing_id, actor, via, remote_address, request_id, changes";

  /**
   * A statement for the conditions that are given: one that stands for any of them would have a
   * plan that reads and sorts all entries of a workspace.
   */
  record Statement(String sql, Tuple parameters) {}

  /** {@code next} is null on the last page. */
  public record Page(List<AuditEntry> entries, @Nullable AuditCursor next) {
    /** The cursor of the next page; null on the last one. */
    public @Nullable String cursor() {
      return next == null ? null : next.encode();
    }
  }

  private final Pool pool;

  public AuditEntries(Pool pool) {
    this.pool = pool;
  }

  /** {@code limit} replaces the query's limit. */
  public Page page(AuditFilter filter, int limit) {
    Statement statement = statement(filter, limit);
    List<AuditEntry> entries =
        Rows.list(
            pool.preparedQuery(statement.sql()).execute(statement.parameters()).await(),
            AuditEntries::entry);
    if (entries.size() <= limit) {
      return new Page(entries, null);
    }
    List<AuditEntry> first = entries.subList(0, limit);
    return new Page(first, first.getLast().cursor());
  }

  /**
   * Of one entry more than {@code limit}. What is searched for is compared outside of the entries
   * in their order, where the offset keeps it, and hidden in {@code coalesce()}: PostgreSQL expects
   * few entries of an average workspace, and if few of those were to match, it would read and sort
   * all that the index has.
   */
  static Statement statement(AuditFilter filter, int limit) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(filter.since());
    values.add(filter.after().at());
    values.add(filter.after().id());
    String entries =
        "select %s from audit where at >= $1 and (at, id) < ($2, $3)%s order by at desc, id desc"
            .formatted(COLUMNS, condition("workspace_id", filter.workspaceId(), values));
    String found =
        condition("action", filter.action(), values)
            + condition("thing_id", filter.thingId(), values)
            + condition("actor", filter.actor(), values);
    String searched =
        found.isEmpty()
            ? entries
            : "select * from (%s offset 0) as entries where coalesce(true%s, false)"
                .formatted(entries, found);
    values.add((long) limit + 1);
    return new Statement(searched + " limit $" + values.size(), Rows.parameters(values.toArray()));
  }

  /** Empty if there is no value; else the value is added to {@code values}. */
  private static String condition(
      String column, @Nullable Object value, List<@Nullable Object> values) {
    if (value == null) {
      return "";
    }
    values.add(value);
    return " and %s = $%d".formatted(column, values.size());
  }

  private static AuditEntry entry(Row row) {
    return new AuditEntry(
        row.getLong("id"),
        Rows.instant(row, "at"),
        row.getUUID("workspace_id"),
        row.getString("action"),
        row.getString("kind"),
        row.getUUID("thing_id"),
        row.getString("actor"),
        row.getString("via"),
        row.getString("remote_address"),
        row.getString("request_id"),
        (JsonObject) row.getJson("changes"));
  }
}
