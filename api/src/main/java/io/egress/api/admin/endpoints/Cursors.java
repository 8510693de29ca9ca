package io.egress.api.admin.endpoints;

import io.egress.api.intake.SeekBody.Seek;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.transcript.stream.Cursor;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Moves the cursors of endpoints that are sent the stream itself. Each move is in the audit log.
 */
public final class Cursors {
  /** What follows is due at once, in pages of the size that was asked for. */
  private static final String GO_ON =
      """
      attempts = 0, failing_since = null, last_outcome = null, last_status = null, held_capture = null,
        size = batch, accepted = 0,
        page_up_to = case when m.place < m.head then m.head end, page_end = null, looked_up_to = null,
        due_at = case when m.place < m.head then 'epoch'::timestamptz end,
        owed_at = case when m.place < m.head then now() end
      """;

  /** The cursor that its receiver has stays the one before the next page. */
  private static final String SKIP =
      """
      with m as (
        select s.position as place, w.stream_head as head from stream s join workspaces w on w.id = s.workspace_id
        where s.workspace_id = $2 and s.capture_id = $3)
      update turns t set read_up_to = m.place, %s
      from m where t.endpoint_id = $1 and t.held_capture = $3
      returning m.place
      """
          .formatted(GO_ON);

  private static final String PLACE =
      """
      select w.stream_head as head, case
          when $2::bigint is not null then $2 - 1
          when $3::timestamptz is not null then stream_position_before(w.id, $3)
          else w.stream_head end as place
      from workspaces w where w.id = $1
      """;

  private static final String SEEK =
      """
      with m as (select $2::bigint as place, $3::bigint as head),
      before as (select read_up_to from turns where endpoint_id = $1)
      update turns t set position = m.place, read_up_to = m.place, %s
      from m, before where t.endpoint_id = $1
      returning before.read_up_to as before,
        (select chain from stream where workspace_id = $4 and position = m.place) as chain
      """
          .formatted(GO_ON);

  /** Where an endpoint is; {@code cursor} is null before everything. */
  public record Place(long position, @Nullable String cursor) {}

  private final Transactions transactions;

  public Cursors(Pool pool) {
    this.transactions = new Transactions(pool);
  }

  /** Passes the capture that holds the endpoint. */
  public void skip(
      Caller caller, UUID workspaceId, UUID id, UUID captureId, @Nullable String reason) {
    transactions.call(tx -> {
      lock(tx, workspaceId, id);
      long position =
          Rows.one(Rows.of(tx, SKIP, id, workspaceId, captureId), row -> row.getLong("place"))
              .orElseThrow(() ->
                  new Refusal(409, "the endpoint is not held by this capture: nothing to skip"));
      new EndpointAudit(tx, caller, workspaceId).skipped(id, captureId, position, reason);
      return position;
    });
  }

  /** Goes on elsewhere. Returns the cursor that its receiver has to have then. */
  public Place seek(Caller caller, UUID workspaceId, UUID id, Seek to) {
    return transactions.call(tx -> {
      lock(tx, workspaceId, id);
      Row place = Rows.of(tx, PLACE, workspaceId, to.fromPosition(), to.from()).iterator().next();
      long position = place.getLong("place");
      long head = place.getLong("head");
      if (position > head) {
        throw new Refusal(
            409, "position %d is after the next one, %d".formatted(to.fromPosition(), head + 1));
      }
      Row moved = Rows.of(tx, SEEK, id, position, head, workspaceId).iterator().next();
      new EndpointAudit(tx, caller, workspaceId).moved(id, moved.getLong("before"), position);
      return new Place(
          position, position == 0 ? null : new Cursor(position, moved.getLong("chain")).encode());
    });
  }

  private static void lock(SqlConnection tx, UUID workspaceId, UUID id) {
    Endpoint endpoint = Endpoints.lock(tx, workspaceId, id).endpoint();
    if (!endpoint.paging().isStream()) {
      throw new Refusal(409, "only an endpoint with the delivery stream has a cursor");
    }
  }
}
