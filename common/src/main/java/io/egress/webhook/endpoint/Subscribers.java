package io.egress.webhook.endpoint;

import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.endpoint.Subscriber.Behind;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * To whom captures are owed that have entered the stream. Nothing is cached: a change applies to
 * the next read.
 *
 * @param byWorkspace including paused ones, in the order of their ids
 * @param foreign what records say of captures that are of another workspace
 */
public record Subscribers(Map<UUID, List<Subscriber>> byWorkspace, Set<Claim> foreign) {
  /** That a capture is of a workspace. Other records may say the truth about the same capture. */
  public record Claim(UUID captureId, UUID workspaceId) {}

  private static final String READ =
      """
      select e.id, e.workspace_id, e.paused, e.created_position, e.created_at, e.full_history, e.filters::text as filters,
        c.first_position as behind_from, c.last_position as behind_to, t.endpoint_id is not null and t.due_at is null as rests,
        null::uuid as foreign_id
      from endpoints e left join catch_ups c on c.endpoint_id = e.id left join turns t on t.endpoint_id = e.id
      where e.workspace_id = any($2::uuid[]) and e.deleted_at is null
      union all
      select null, r.workspace_id, null, null, null, null, null, null, null, null, c.id
      from unnest($1::uuid[], $2::uuid[]) as r (capture_id, workspace_id) join captures c on c.id = r.capture_id
      where c.workspace_id <> r.workspace_id
      order by id
      """;

  public static Future<Subscribers> of(SqlClient client, Collection<ProcessedCapture> records) {
    return client
        .preparedQuery(READ)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(
                    records.stream().map(ProcessedCapture::captureId).toArray(UUID[]::new))
                .addArrayOfUUID(
                    records.stream().map(ProcessedCapture::workspaceId).toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, List<Subscriber>> byWorkspace = new HashMap<>();
          Set<Claim> foreign = new HashSet<>();
          for (Row row : rows) {
            UUID foreignId = row.getUUID("foreign_id");
            if (foreignId == null) {
              Subscriber subscriber = subscriber(row);
              byWorkspace
                  .computeIfAbsent(subscriber.workspaceId(), _ -> new ArrayList<>())
                  .add(subscriber);
            } else {
              foreign.add(new Claim(foreignId, row.getUUID("workspace_id")));
            }
          }
          return new Subscribers(byWorkspace, foreign);
        });
  }

  public List<Subscriber> of(ProcessedCapture capture) {
    return byWorkspace.getOrDefault(capture.workspaceId(), List.of());
  }

  /** Whether the capture is of the workspace that its record says, or does not exist. */
  public boolean isOwn(ProcessedCapture record) {
    return !foreign.contains(new Claim(record.captureId(), record.workspaceId()));
  }

  private static Subscriber subscriber(Row row) {
    return new Subscriber(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        row.getBoolean("paused"),
        Owed.of(row),
        behind(row),
        row.getBoolean("rests"));
  }

  private static @Nullable Behind behind(Row row) {
    Long from = row.getLong("behind_from");
    return from == null ? null : new Behind(from, row.getLong("behind_to"));
  }
}
