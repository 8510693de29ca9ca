package io.egress.api.admin.erasures;

import io.egress.webhook.endpoint.DeliveryId;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What receivers answered to webhooks of erased captures. Erased in statements of their own, after
 * the erasure is committed: from then on the delivery log keeps no answer of these captures, nor
 * its headers.
 */
final class ReceiverAnswers {
  private static final String ENDPOINTS = "select id from endpoints where workspace_id = $1";

  /** Also of endpoints that were deleted since. */
  private static final String FORGET =
      """
      update attempts set answer = null, response_headers = null
      where (answer is not null or response_headers is not null) and delivery_id = any(array(
        select unnest($1::uuid[])
        union all
        select d.id from stream s join deliveries d on d.position = s.position
        where s.capture_id = any($3) and d.endpoint_id = any($2) and d.replay_id is not null))
      """;

  private ReceiverAnswers() {}

  static Future<Void> forget(SqlClient client, UUID workspaceId, List<UUID> captureIds) {
    return client
        .preparedQuery(ENDPOINTS)
        .execute(Tuple.of(workspaceId))
        .compose(endpoints ->
            endpoints.size() == 0 || captureIds.isEmpty()
                ? Future.succeededFuture()
                : forget(client, endpoints, captureIds));
  }

  private static Future<Void> forget(
      SqlClient client, RowSet<Row> endpoints, List<UUID> captureIds) {
    List<UUID> endpointIds = new ArrayList<>();
    List<UUID> deliveries = new ArrayList<>();
    for (Row endpoint : endpoints) {
      UUID id = endpoint.getUUID("id");
      endpointIds.add(id);
      captureIds.forEach(capture -> deliveries.add(DeliveryId.of(id, capture)));
    }
    return client
        .preparedQuery(FORGET)
        .execute(
            Tuple.of(
                deliveries.toArray(UUID[]::new),
                endpointIds.toArray(UUID[]::new),
                captureIds.toArray(UUID[]::new)))
        .mapEmpty();
  }
}
