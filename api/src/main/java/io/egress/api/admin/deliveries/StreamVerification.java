package io.egress.api.admin.deliveries;

import io.egress.platform.database.Rows;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.endpoint.Endpoint;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.util.UUID;

/**
 * Accounts for the captures of an endpoint that is sent the stream itself, by its cursor and by
 * what it has accepted. Nothing of that ends with the delivery log.
 */
final class StreamVerification {
  private static final String READ =
      """
      with turn as (select first_position, read_up_to from turns where endpoint_id = $1),
      received as materialized (
        select coalesce(range_agg(part), '{}') as places
        from receipts r cross join lateral unnest(r.delivered) as part where r.endpoint_id = $1),
      wanted as (
        select s.position <= t.read_up_to as passed, c.places @> s.position as accepted,
          exists (select from erasures x where x.capture_id = s.capture_id) as erased
        from stream s cross join turn t cross join received c join endpoints e on e.id = $1
        where s.workspace_id = $2 and s.position >= $3 and s.position <= $4 and admits(e.filters, s))
      select count(*) filter (where accepted) as delivered,
        count(*) filter (where not accepted and not erased and not passed) as pending,
        count(*) filter (where not accepted and not erased and passed) as skipped,
        count(*) filter (where not accepted and erased) as erased
      from wanted
      """;

  private static final String RANGE =
      """
      select t.first_position, w.stream_head from turns t join endpoints e on e.id = t.endpoint_id
        join workspaces w on w.id = e.workspace_id where t.endpoint_id = $1
      """;

  private StreamVerification() {}

  static Verification run(
      Pool pool, UUID workspaceId, Endpoint endpoint, long fromPosition, int positionsMax) {
    Row range = Rows.of(pool, RANGE, endpoint.id()).iterator().next();
    long head = range.getLong("stream_head");
    long from = Math.max(fromPosition, range.getLong("first_position") + 1);
    long to = Math.min(head, from + positionsMax - 1);
    Verification result = new Verification(from, to, to < head ? to + 1 : null);
    Row counts = Rows.of(pool, READ, endpoint.id(), workspaceId, from, to).iterator().next();
    result.count(DeliveryState.DELIVERED, counts.getLong("delivered"));
    result.count(DeliveryState.PENDING, counts.getLong("pending"));
    result.count(DeliveryState.SKIPPED, counts.getLong("skipped"));
    result.countErased(counts.getLong("erased"));
    return result;
  }
}
