package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The endpoints of a workspace, those with recent failures first, and how many there are. */
public record WorstEndpoints(int total, List<Endpoint> endpoints) {
  public static final WorstEndpoints NONE = new WorstEndpoints(0, List.of());

  /** Those with recent failures first. */
  private static final String WORST_FIRST =
      """
      select worst.* from unnest($1::uuid[]) as w(id) cross join lateral (
        select e.workspace_id, count(*) over () as total, %s from endpoints e
        where e.workspace_id = w.id and e.deleted_at is null
        order by e.paused or %s is null, e.created_at, e.id
        limit $3) as worst
      """
          .formatted(EndpointRow.SHOWN, failedSince("e.id", "$2"));

  /**
   * In SQL, true if a delivery that is owed to the endpoint since the day or later has failed, else
   * null. One look into the index of undelivered deliveries, whose condition it repeats, whatever
   * the planner knows of the tables.
   */
  public static String failedSince(String endpoint, String day) {
    return """
    (select true from deliveries d
      where d.endpoint_id = %s and d.state in ('pending', 'exhausted') and d.state <> 'delivered'
        and d.attempts > 0 and d.day >= %s limit 1)\
    """
        .formatted(endpoint, day);
  }

  /**
   * Keyed by workspace, without those that have no endpoints; at most {@code max} of each. Failures
   * are recent since {@code since}.
   */
  public static Future<Map<UUID, WorstEndpoints>> worstFirst(
      SqlClient client, Collection<UUID> workspaceIds, LocalDate since, int max) {
    return client
        .preparedQuery(WORST_FIRST)
        .execute(Rows.parameters(workspaceIds.toArray(UUID[]::new), since, max))
        .map(rows -> {
          Map<UUID, WorstEndpoints> worst = new HashMap<>();
          for (Row row : rows) {
            worst
                .computeIfAbsent(
                    row.getUUID("workspace_id"),
                    _ -> new WorstEndpoints(row.getLong("total").intValue(), new ArrayList<>()))
                .endpoints()
                .add(EndpointRow.endpoint(row));
          }
          return worst;
        });
  }
}
