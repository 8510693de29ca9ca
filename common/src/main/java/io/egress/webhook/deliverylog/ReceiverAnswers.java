package io.egress.webhook.deliverylog;

import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.webhook.delivery.DeliveryId;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;

/**
 * What receivers answered to webhooks of erased captures. Once an erasure is committed, the
 * delivery log keeps no answer of its captures, nor its headers. What it has already is erased in
 * transactions of their own, by whoever comes next: {@code answers_to_forget} has the captures,
 * since the erasure.
 */
public final class ReceiverAnswers {
  /** Bounds the ids of a statement: a workspace may have thousands of endpoints. */
  private static final int DELIVERIES_MAX = 10_000;

  private static final int CAPTURES_MAX = 200;

  private static final String NEXT_WORKSPACE =
      """
      select a.workspace_id as id, (select count(*) from endpoints e where e.workspace_id = a.workspace_id) as endpoints
      from answers_to_forget a limit 1 for update skip locked
      """;

  private static final String NEXT =
      """
      select capture_id from answers_to_forget where workspace_id = $1
      order by capture_id limit $2 for update skip locked
      """;

  private static final String THIS =
      "select capture_id from answers_to_forget where workspace_id = $1 and capture_id = $2 for update";

  private static final String ENDPOINTS = "select id from endpoints where workspace_id = $1";

  /** Also of endpoints that were deleted since. */
  private static final String FORGET =
      """
      update attempts set answer = null, response_headers = null
      where (answer is not null or response_headers is not null) and delivery_id = any(array(
        select unnest($1::uuid[])
        union all
        select d.id from stream s join deliveries d on d.position = s.position
        where s.capture_id = any($3) and d.endpoint_id = any($2) and d.replay_id is not null
        union all
        select p.id from stream s join pages p on p.tried_up_to >= s.position
          and p.tried_up_to < s.position + %d and p.after_position < s.position
        where s.capture_id = any($3) and p.endpoint_id = any($2) and p.changed is null
        union all
        select p.id from pages p where p.changed && $3::uuid[] and p.endpoint_id = any($2)))
      """
          .formatted(PageLog.SPAN_MAX);

  private static final String FORGOTTEN =
      "delete from answers_to_forget where capture_id = any($1)";

  private ReceiverAnswers() {}

  /** Returns when there are none that no other process is working on. */
  public static void forgetAll(Pool pool) {
    Transactions transactions = new Transactions(pool);
    boolean more;
    do {
      more = transactions.call(ReceiverAnswers::forgetNext);
    } while (more);
  }

  /** Returns when there are none to the webhooks of this capture. */
  public static void forget(Pool pool, UUID workspaceId, UUID captureId) {
    new Transactions(pool)
        .call(tx -> {
          forget(tx, workspaceId, Rows.of(tx, THIS, workspaceId, captureId));
          return captureId;
        });
  }

  private static boolean forgetNext(SqlConnection tx) {
    RowSet<Row> next = Rows.of(tx, NEXT_WORKSPACE);
    for (Row workspace : next) {
      UUID id = workspace.getUUID("id");
      long room = DELIVERIES_MAX / Math.max(1, workspace.getLong("endpoints"));
      long captures = Math.clamp(room, 1, CAPTURES_MAX);
      forget(tx, id, Rows.of(tx, NEXT, id, captures));
    }
    return next.size() > 0;
  }

  private static void forget(SqlConnection tx, UUID workspaceId, RowSet<Row> captures) {
    List<UUID> captureIds = Rows.list(captures, row -> row.getUUID("capture_id"));
    List<UUID> endpointIds =
        Rows.list(Rows.of(tx, ENDPOINTS, workspaceId), row -> row.getUUID("id"));
    UUID[] ids = captureIds.toArray(UUID[]::new);
    if (!captureIds.isEmpty() && !endpointIds.isEmpty()) {
      UUID[] deliveries =
          endpointIds.stream()
              .flatMap(id -> captureIds.stream().map(capture -> DeliveryId.of(id, capture)))
              .toArray(UUID[]::new);
      Rows.of(tx, FORGET, deliveries, endpointIds.toArray(UUID[]::new), ids);
    }
    Rows.of(tx, FORGOTTEN, (Object) ids);
  }
}
