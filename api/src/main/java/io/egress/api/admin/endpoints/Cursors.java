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
  /**
   * What follows is due at once, in pages of the size that was asked for: the stream from {@code
   * m.place} on, or changes once that is at its end.
   */
  private static final String GO_ON =
      """
      attempts = 0, failing_since = null, last_outcome = null, last_status = null, held_capture = null,
        size = t.batch, accepted = 0, feed = 'captures',
        page_up_to = case when m.place < m.head then m.head end, page_end = null, looked_up_to = null,
        due_at = case when m.place < m.head then 'epoch'::timestamptz end,
        owed_at = case when m.place < m.head then now() end
      """;

  /** The cursor that its receiver has stays the one before the next page. */
  private static final String SKIP =
      """
      with m as (
        select case t.feed when 'captures' then t.page_end else t.read_up_to end as place,
          case t.feed when 'changes' then t.page_end else t.changes_read_up_to end as changes_place,
          t.page_end as skipped, w.stream_head as head
        from turns t join workspaces w on w.id = $2 where t.endpoint_id = $1)
      update turns t set read_up_to = m.place, changes_read_up_to = m.changes_place, %s
      from m where t.endpoint_id = $1 and t.held_capture = $3
      returning m.skipped
      """
          .formatted(GO_ON);

  private static final String PLACE =
      """
      select f.head, case
          when $2::bigint is not null then $2 - 1
          when $3::timestamptz is null then f.head
          when $4::text = 'captures' then stream_position_before(w.id, $3)
          else change_number_before(w.id, $3) end as place
      from workspaces w cross join lateral (
        select case $4::text when 'captures' then w.stream_head
          else coalesce((select number from change_heads where workspace_id = w.id), 0) end as head) f
      where w.id = $1
      """;

  private static final String SEEK =
      """
      with before as (select * from turns where endpoint_id = $1),
      m as (
        select case when $3::text = 'captures' then $2::bigint else b.position end as position,
          case when $3 = 'captures' then $2 else b.read_up_to end as place,
          case when $3 = 'changes' then $2 else b.changes_position end as changes_position,
          case when $3 = 'changes' then $2 else b.changes_read_up_to end as changes_place, w.stream_head as head
        from before b join workspaces w on w.id = $4)
      update turns t set position = m.position, read_up_to = m.place, changes_position = m.changes_position,
        changes_read_up_to = m.changes_place, %s
      from m, before where t.endpoint_id = $1
      returning case $3 when 'captures' then before.read_up_to else before.changes_read_up_to end as before,
        case $3 when 'captures' then (select chain from stream where workspace_id = $4 and position = $2)
          else change_mark($4, $2) end as chain
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
          Rows.one(Rows.of(tx, SKIP, id, workspaceId, captureId), row -> row.getLong("skipped"))
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
      Row place =
          Rows.of(tx, PLACE, workspaceId, to.fromPosition(), to.from(), to.feed().word())
              .iterator()
              .next();
      long position = place.getLong("place");
      long head = place.getLong("head");
      if (position > head) {
        throw new Refusal(
            409, "position %d is after the next one, %d".formatted(to.fromPosition(), head + 1));
      }
      Row moved = Rows.of(tx, SEEK, id, position, to.feed().word(), workspaceId).iterator().next();
      new EndpointAudit(tx, caller, workspaceId)
          .moved(id, to.feed(), moved.getLong("before"), position);
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
