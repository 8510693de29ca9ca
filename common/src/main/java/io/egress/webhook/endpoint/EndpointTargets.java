package io.egress.webhook.endpoint;

import io.egress.platform.database.Rows;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Reads endpoints as what webhooks are sent to. Nothing is cached: a change applies to the next
 * read.
 */
public final class EndpointTargets {
  private static final String TARGET =
      "id, workspace_id, spec::text as spec, secret, headers, client_certificate, oauth2,"
          + " paused, deleted_at is not null as deleted, failing_since,"
          + " case when previous_secret_until > now() then previous_secret end as previous_secret, "
          + EndpointRow.SIGNING_KEYS;

  private static final String BY_IDS = "select " + TARGET + " from endpoints where id = any($1)";

  private EndpointTargets() {}

  /** Includes deleted ones, keyed by id; read with {@code client}. */
  public static Future<Map<UUID, EndpointTarget>> byIds(SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(BY_IDS)
        .execute(Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)))
        .map(rows -> Rows.byId(rows, EndpointTargets::target));
  }

  private static EndpointTarget target(Row row) {
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
        Rows.optionalInstant(row, "failing_since"));
  }
}
