package io.egress.webhook.deliverylog;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.sqlclient.SqlClient;
import java.util.List;
import java.util.UUID;

/**
 * What receivers answered to webhooks of erased captures. Erased in statements of their own, after
 * the erasure is committed: from then on the delivery log keeps no answer of these captures, nor
 * its headers.
 */
public final class ReceiverAnswers {
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

  public static void forget(SqlClient client, UUID workspaceId, List<UUID> captureIds) {
    if (captureIds.isEmpty()) {
      return;
    }
    List<UUID> endpointIds =
        Rows.list(Rows.of(client, ENDPOINTS, workspaceId), row -> row.getUUID("id"));
    if (endpointIds.isEmpty()) {
      return;
    }
    UUID[] deliveries =
        endpointIds.stream()
            .flatMap(id -> captureIds.stream().map(capture -> DeliveryId.of(id, capture)))
            .toArray(UUID[]::new);
    Rows.of(
        client,
        FORGET,
        deliveries,
        endpointIds.toArray(UUID[]::new),
        captureIds.toArray(UUID[]::new));
  }
}
