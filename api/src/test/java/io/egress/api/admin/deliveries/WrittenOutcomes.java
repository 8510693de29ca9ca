package io.egress.api.admin.deliveries;

import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.send.Exchanged;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace whose outcomes are written into the log as a dispatcher would write them. */
public final class WrittenOutcomes {
  public static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));

  private final Service service;
  private final UUID workspace;

  public WrittenOutcomes(Service service, UUID workspace) {
    this.service = service;
    this.workspace = workspace;
  }

  public UUID endpoint() {
    return endpoint(null);
  }

  UUID endpoint(@Nullable JsonObject filter) {
    return endpointOf(new JsonObject().put("filter", filter));
  }

  UUID endpointOf(JsonObject properties) {
    return UUID.fromString(
        new JsonObject(
                service
                    .internal(
                        "POST",
                        "/internal/v1/workspaces/" + workspace + "/endpoints",
                        properties.put("url", "https://example.com/hook"))
                    .body())
            .getString("id"));
  }

  public void captures(int count) {
    long before = head();
    for (int i = 0; i < count; i++) {
      service.put(UUID.randomUUID(), Service.capture(workspace));
    }
    await().until(() -> head() == before + count);
  }

  private long head() {
    var rows =
        service
            .query("select stream_head from workspaces where id = '" + workspace + "'")
            .iterator();
    return rows.hasNext() ? rows.next().getLong(0) : 0;
  }

  /** Of the capture at the position, which is history if the endpoint was created after it. */
  void writeAt(UUID endpoint, long position, DeliveryState state, @Nullable UUID replay) {
    Row row =
        service
            .query(
                "select s.capture_id, s.entered_at, e.created_position, e.created_at from stream s join endpoints e"
                    + " on e.workspace_id = s.workspace_id where e.id = '%s' and s.position = %d"
                        .formatted(endpoint, position))
            .iterator()
            .next();
    boolean isHistory = position <= row.getLong("created_position");
    Delivery.Origin origin = isHistory ? Delivery.Origin.BACKFILL : Delivery.Origin.LIVE;
    Instant owedAt = row.getOffsetDateTime(isHistory ? "created_at" : "entered_at").toInstant();
    write(
        List.of(
            entry(
                delivery(endpoint, row.getUUID("capture_id"), position, origin, owedAt, replay),
                state)));
  }

  /** The live captures of the endpoint from the {@code first} on and before {@code end}. */
  public void write(UUID endpoint, int first, int end, DeliveryState state) {
    write(endpoint, first, end, state, null);
  }

  void write(UUID endpoint, int first, int end, DeliveryState state, @Nullable UUID replay) {
    List<LogEntry> entries = new ArrayList<>();
    for (Row row :
        service.query(
            "select s.position, s.capture_id, s.entered_at from stream s join endpoints e on e.id = '"
                + endpoint
                + "' where s.workspace_id = e.workspace_id and s.position > e.created_position + "
                + first
                + " and s.position <= e.created_position + "
                + end)) {
      Delivery delivery =
          delivery(
              endpoint,
              row.getUUID("capture_id"),
              row.getLong("position"),
              Delivery.Origin.LIVE,
              row.getOffsetDateTime("entered_at").toInstant(),
              replay);
      entries.add(entry(delivery, state));
    }
    write(entries);
  }

  private static Delivery delivery(
      UUID endpoint,
      UUID capture,
      long position,
      Delivery.Origin origin,
      Instant owedAt,
      @Nullable UUID replay) {
    return replay == null
        ? Delivery.first(
            DeliveryId.of(endpoint, capture), endpoint, capture, position, origin, owedAt)
        : Delivery.replayed(replay, endpoint, capture, position, Delivery.Origin.REPLAY, owedAt);
  }

  private static LogEntry entry(Delivery delivery, DeliveryState state) {
    boolean isDelivered = state == DeliveryState.DELIVERED;
    return new LogEntry(
        delivery,
        state,
        state == DeliveryState.SKIPPED
            ? null
            : new MadeAttempt(
                Instant.now(),
                Duration.ofMillis(1),
                isDelivered ? "delivered" : "status",
                isDelivered ? 200 : 500,
                null,
                null,
                Exchanged.NOTHING),
        state == DeliveryState.PENDING ? Instant.now().plusSeconds(60) : null);
  }

  private void write(List<LogEntry> entries) {
    Service.await(new DeliveryLog(service.database, DAYS).write(entries));
  }
}
