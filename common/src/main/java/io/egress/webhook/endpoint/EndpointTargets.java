package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.endpoint.EndpointTarget.Behind;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads endpoints as what webhooks are sent to. Nothing is cached: a change applies to the next
 * read.
 */
public final class EndpointTargets {
  private static final String TARGET =
      "id, workspace_id, spec::text as spec, secret, headers, client_certificate, oauth2,"
          + " paused, deleted_at is not null as deleted, created_position, created_at,"
          + " full_history, filters::text as filters, failing_since,"
          + " case when previous_secret_until > now() then previous_secret end as previous_secret, "
          + EndpointStore.SIGNING_KEYS;

  private static final String FOR_WORKSPACES =
      "select "
          + TARGET
          + ", behind_from, behind_to, coalesce(rests, false) as rests from endpoints left join"
          + " (select endpoint_id, first_position as behind_from, last_position as behind_to"
          + " from catch_ups) as behind on behind.endpoint_id = id left join"
          + " (select endpoint_id, due_at is null as rests from turns) as turn on turn.endpoint_id = id"
          + " where workspace_id = any($1) and deleted_at is null order by id";

  private static final String BY_IDS = "select " + TARGET + " from endpoints where id = any($1)";

  private EndpointTargets() {}

  /**
   * The endpoints that are not deleted, by workspace, including paused ones. {@link
   * EndpointTarget#getsLive} decides which of them get a capture.
   */
  public static Future<Map<UUID, List<EndpointTarget>>> forWorkspaces(
      SqlClient client, Collection<UUID> workspaceIds) {
    return client
        .preparedQuery(FOR_WORKSPACES)
        .execute(Tuple.tuple().addArrayOfUUID(workspaceIds.toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, List<EndpointTarget>> targets = new HashMap<>();
          Rows.list(rows, row -> target(row, behind(row), row.getBoolean("rests")))
              .forEach(target ->
                  targets
                      .computeIfAbsent(target.workspaceId(), _ -> new ArrayList<>())
                      .add(target));
          return targets;
        });
  }

  /** Includes deleted ones, keyed by id; read with {@code client}. */
  public static Future<Map<UUID, EndpointTarget>> byIds(SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(BY_IDS)
        .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
        .map(rows -> Rows.byId(rows, row -> target(row, null, false)));
  }

  private static EndpointTarget target(Row row, @Nullable Behind behind, boolean rests) {
    Buffer secret = row.getBuffer("secret");
    Buffer previous = row.getBuffer("previous_secret");
    return new EndpointTarget(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        new EndpointTarget.Setup(
            StoredSpec.decode(row.getString("spec")),
            previous == null ? List.of(secret) : List.of(secret, previous),
            row.getBuffer("headers"),
            row.getBuffer("client_certificate"),
            row.getBuffer("oauth2"),
            List.of(row.getArrayOfBuffers("signing_keys"))),
        row.getBoolean("paused"),
        row.getBoolean("deleted"),
        Owed.of(row),
        Rows.optionalInstant(row, "failing_since"),
        behind,
        rests);
  }

  private static @Nullable Behind behind(Row row) {
    Long from = row.getLong("behind_from");
    return from == null ? null : new Behind(from, row.getLong("behind_to"));
  }
}
