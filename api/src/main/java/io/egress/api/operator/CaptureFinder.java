package io.egress.api.operator;

import static java.util.Objects.requireNonNull;

import io.egress.api.deliveries.DeliveryReads;
import io.egress.document.UtcInstant;
import io.egress.endpoint.Endpoint;
import io.egress.endpoint.EndpointStore;
import io.egress.http.HttpExchange;
import io.egress.http.PathIds;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers whose a capture is, where it is in the stream, and what became of it at each endpoint.
 */
public final class CaptureFinder {
  private static final String FIND =
      """
      select c.workspace_id, c.title, c.revision, c.entered, c.created_at, c.updated_at,
        json_array_length(c.segments) as segments, s.position, s.entered_at,
        e.erased_at, e.erased_by, e.reason as erased_reason
      from captures c left join stream s on s.workspace_id = c.workspace_id and s.capture_id = c.id
        left join erasures e on e.capture_id = c.id
      where c.id = $1
      """;

  private final Pool pool;
  private final EndpointStore endpoints;
  private final DeliveryReads deliveries;

  public CaptureFinder(Pool pool, DeliveryReads deliveries) {
    this.pool = requireNonNull(pool, "pool is null");
    this.endpoints = new EndpointStore(pool);
    this.deliveries = requireNonNull(deliveries, "deliveries is null");
  }

  public void show(RoutingContext exchange) {
    String text = exchange.pathParam("id");
    PathIds.uuid(text)
        .map(this::find)
        .orElseGet(
            () -> Future.failedFuture(new Refusal(400, "the id of the capture must be a UUID")))
        .onSuccess(found -> HttpExchange.sendJson(exchange, 200, found))
        .onFailure(failure -> HttpExchange.fail(exchange, failure));
  }

  private Future<JsonObject> find(UUID id) {
    return pool.preparedQuery(FIND)
        .execute(Tuple.of(id))
        .compose(
            rows -> {
              RowIterator<Row> found = rows.iterator();
              if (!found.hasNext()) {
                return Future.failedFuture(new Refusal(404, "no such capture: it was never put"));
              }
              Row row = found.next();
              return withDeliveries(id, row.getUUID("workspace_id"), json(id, row));
            });
  }

  private Future<JsonObject> withDeliveries(UUID id, UUID workspaceId, JsonObject capture) {
    MultiMap ofCapture = MultiMap.caseInsensitiveMultiMap().add("capture_id", id.toString());
    return Future.all(deliveries.list(workspaceId, ofCapture), endpoints.list(workspaceId))
        .map(
            both -> {
              DeliveryReads.Listed listed = both.resultAt(0);
              List<Endpoint> all = both.resultAt(1);
              return capture.put("endpoints", endpoints(all, listed));
            });
  }

  private static JsonArray endpoints(List<Endpoint> all, DeliveryReads.Listed listed) {
    JsonArray shown = new JsonArray();
    for (Endpoint endpoint : all) {
      JsonArray own =
          new JsonArray(
              listed.deliveries().stream()
                  .filter(each -> each.endpointId().equals(endpoint.id()))
                  .map(
                      each ->
                          new JsonObject()
                              .put("id", each.id().toString())
                              .put("origin", each.origin().word())
                              .put("state", each.state().word())
                              .put("attempts", each.attempts())
                              .put("last_outcome", each.lastOutcome()))
                  .collect(Collectors.toList()));
      shown.add(
          new JsonObject()
              .put("endpoint_id", endpoint.id().toString())
              .put("url", endpoint.url())
              .put("description", endpoint.description())
              .put("paused", endpoint.paused())
              .put("deliveries", own));
    }
    return shown;
  }

  private static JsonObject json(UUID id, Row row) {
    return new JsonObject()
        .put("id", id.toString())
        .put("workspace_id", row.getUUID("workspace_id").toString())
        .put("title", row.getString("title"))
        .put("state", state(row))
        .put("position", row.getLong("position"))
        .put("revision", row.getLong("revision"))
        .put("segments", row.getInteger("segments"))
        .put("created_at", time(row.getOffsetDateTime("created_at")))
        .put("updated_at", time(row.getOffsetDateTime("updated_at")))
        .put("entered_at", time(row.getOffsetDateTime("entered_at")))
        .put("erased_at", time(row.getOffsetDateTime("erased_at")))
        .put("erased_by", row.getString("erased_by"))
        .put("erased_reason", row.getString("erased_reason"));
  }

  /** Captures without segments are not finished, and do not enter the stream. */
  private static String state(Row row) {
    if (row.getOffsetDateTime("erased_at") != null) {
      return "erased";
    }
    if (row.getLong("position") != null) {
      return "in_stream";
    }
    return row.getBoolean("entered") ? "entering" : "without_segments";
  }

  private static @Nullable String time(@Nullable OffsetDateTime time) {
    return time == null ? null : UtcInstant.format(time.toInstant());
  }
}
