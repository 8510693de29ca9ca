package io.egress.dispatcher.deliver;

import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.send.DocumentHead;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Finds out whether updates are still to be sent, at the last moment. */
final class UpdateLookup {
  /**
   * Of each capture at each endpoint: the number of its newest change, and the highest revision
   * that was delivered there, by whatever delivery. Each is looked up by itself: a join of attempts
   * is planned for all days of the log, and reads all of it for each capture.
   */
  private static final String READ =
      """
      select k.id, coalesce(sent.revision, 0) as revision,
        coalesce((select number from changes where capture_id = k.capture_id), 0) as newest
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[])
        as k(id, endpoint_id, capture_id, position, first_id)
      left join lateral (
        select max(a.revision) as revision
        from (
          select id, day from deliveries where id = k.first_id and state = 'delivered'
          union all
          select id, day from deliveries
          where endpoint_id = k.endpoint_id and position = k.position and replay_id is not null
            and state = 'delivered') as d,
          lateral (
            select max(revision) as revision from attempts
            where delivery_id = d.id and day = d.day and outcome = 'delivered') as a) as sent on true
      """;

  /** What is known of an update's capture at its endpoint. */
  record Known(long newestChange, long deliveredRevision) {
    /** Whether another delivery sends, or has sent, what this one would. */
    boolean supersedes(Delivery update, DocumentHead head) {
      UUID newest = DeliveryId.ofUpdate(update.endpointId(), update.captureId(), newestChange);
      return deliveredRevision >= head.revision() || !update.id().equals(newest);
    }
  }

  private UpdateLookup() {}

  /** Of those of the deliveries that are updates, by their ids. */
  static Future<Map<UUID, Known>> read(SqlClient client, Collection<Delivery> deliveries) {
    List<Delivery> updates =
        deliveries.stream().filter(each -> each.event() == Event.CAPTURE_UPDATED).toList();
    if (updates.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return client
        .preparedQuery(READ)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(updates.stream().map(Delivery::id).toArray(UUID[]::new))
                .addArrayOfUUID(updates.stream().map(Delivery::endpointId).toArray(UUID[]::new))
                .addArrayOfUUID(updates.stream().map(Delivery::captureId).toArray(UUID[]::new))
                .addArrayOfLong(updates.stream().map(Delivery::position).toArray(Long[]::new))
                .addArrayOfUUID(
                    updates.stream()
                        .map(each -> DeliveryId.of(each.endpointId(), each.captureId()))
                        .toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, Known> known = new HashMap<>();
          rows.forEach(row ->
              known.put(
                  row.getUUID("id"), new Known(row.getLong("newest"), row.getLong("revision"))));
          return known;
        });
  }
}
