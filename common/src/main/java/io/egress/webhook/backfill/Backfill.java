package io.egress.webhook.backfill;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery.Origin;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A part of a workspace's stream to be sent to an endpoint: a full history, a replay, a redelivery,
 * or erasures that the endpoint is notified of.
 *
 * @param id the endpoint's id for a full history
 * @param nextPosition the first position not published yet
 * @param published deliveries created so far
 * @param finishedAt when everything was published, or the backfill was canceled
 * @param endpointPaused then nothing is published for now
 */
public record Backfill(
    UUID id,
    UUID endpointId,
    Origin origin,
    boolean onlyUndelivered,
    long firstPosition,
    long lastPosition,
    long nextPosition,
    long published,
    @Nullable String createdBy,
    Instant createdAt,
    @Nullable Instant finishedAt,
    @Nullable Instant canceledAt,
    boolean endpointPaused) {
  static Backfill of(Row row) {
    return new Backfill(
        row.getUUID("id"),
        row.getUUID("endpoint_id"),
        Origin.of(row.getString("origin")),
        row.getBoolean("only_undelivered"),
        row.getLong("first_position"),
        row.getLong("last_position"),
        row.getLong("next_position"),
        row.getLong("published"),
        row.getString("created_by"),
        Rows.instant(row, "created_at"),
        Rows.optionalInstant(row, "finished_at"),
        Rows.optionalInstant(row, "cancelled_at"),
        row.getBoolean("endpoint_paused"));
  }
}
