package io.egress.api.admin.audit;

import io.egress.platform.database.Rows;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the audit log, newest entries first. */
public final class AuditEntries {
  private static final String COLUMNS =
      "id, at, workspace_id, action, kind, thing_id, actor, via, remote_address, request_id, changes";

  /** Both bounds are always set, so that the generic plan uses the index for them. */
  private static final String REST =
      """
        at >= $1 and (at, id) < ($2, $3)
        and ($4::text is null or action = $4) and ($5::uuid is null or thing_id = $5)
        and ($6::text is null or actor = $6)
      order by at desc, id desc limit $7
      """;

  private static final String OF_ALL = "select " + COLUMNS + " from audit where " + REST;
  private static final String OF_WORKSPACE =
      "select " + COLUMNS + " from audit where workspace_id = $8 and " + REST;

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
    Tuple bounds =
        Rows.parameters(
            filter.since(),
            filter.after().at(),
            filter.after().id(),
            filter.action(),
            filter.thingId(),
            filter.actor(),
            (long) limit + 1);
    UUID workspaceId = filter.workspaceId();
    List<AuditEntry> entries =
        Rows.list(
            (workspaceId == null
                    ? pool.preparedQuery(OF_ALL).execute(bounds)
                    : pool.preparedQuery(OF_WORKSPACE).execute(bounds.addUUID(workspaceId)))
                .await(),
            AuditEntries::entry);
    if (entries.size() <= limit) {
      return new Page(entries, null);
    }
    List<AuditEntry> first = entries.subList(0, limit);
    return new Page(first, first.getLast().cursor());
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
