package io.egress.api.admin.erasures;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Gives every column that belongs to a capture a value of its own, erases the capture, and searches
 * the database for these values. A new column must be erased, or be listed here as one that stays.
 */
class ErasedColumnsTest {
  /** What an erased capture keeps, by table: who owns it, where and when it was. */
  private static final Map<String, Set<String>> KEPT =
      Map.of(
          "answers_to_forget",
          Set.of("capture_id", "workspace_id"),
          "captures",
          Set.of(
              "id",
              "workspace_id",
              "device_id",
              "mode",
              "started_at",
              "ended_at",
              "duration_ms",
              "entered",
              "revision",
              "created_at",
              "updated_at",
              "erased_at"),
          "documents",
          Set.of("capture_id", "revision", "renderer"),
          "stream",
          Set.of(
              "workspace_id", "position", "capture_id", "chain", "entered_at", "mode", "device_id"),
          "outbox",
          Set.of("sequence", "workspace_id", "position", "capture_id", "entered_at", "traceparent"),
          "erasures",
          Set.of("capture_id", "workspace_id", "erased_at", "erased_by", "reason"),
          "changes",
          Set.of(
              "workspace_id", "number", "capture_id", "changed_at", "erased", "mode", "device_id"),
          "deliveries",
          Set.of(
              "day",
              "id",
              "endpoint_id",
              "capture_id",
              "position",
              "replay_id",
              "origin",
              "state",
              "attempts",
              "last_outcome",
              "next_attempt_at",
              "owed_at",
              "updated_at"),
          "attempts",
          Set.of(
              "day",
              "delivery_id",
              "attempt",
              "started_at",
              "duration_ms",
              "outcome",
              "status",
              "detail",
              "revision",
              "signature",
              "length",
              "request_headers",
              "times"));

  /** Of its own: its documents cannot be inflated. */
  private final Service service = Service.start();

  private final UUID workspace = UUID.randomUUID();
  private final UUID capture = UUID.randomUUID();
  private final List<String> texts = new ArrayList<>();

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void anErasedCaptureLeavesNoneOfItsContent() {
    assertThat(service.put(capture, Service.capture(workspace)).statusCode()).isEqualTo(201);
    UUID delivery = addDelivery();
    columns().forEach((table, columns) -> fill(table, columns, delivery));
    assertThat(found()).hasSizeGreaterThanOrEqualTo(texts.size());

    assertThat(
            service
                .internal(
                    "DELETE",
                    "/internal/v1/captures/" + capture,
                    new JsonObject().put("reason", "a test"))
                .statusCode())
        .isEqualTo(200);

    assertThat(found()).isEmpty();
  }

  /** Columns of captures and of everything that refers to one, with their types, by table. */
  private Map<String, Map<String, String>> columns() {
    Map<String, Map<String, String>> columns = new TreeMap<>();
    for (Row row :
        service.query(
            """
            select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
            from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
              and a.attnum > 0 and not a.attisdropped
              and (c.relname = 'captures' or exists (
                select from information_schema.columns r
                where r.table_name = c.relname and r.column_name in ('capture_id', 'delivery_id')))
            """)) {
      String table = row.getString(0);
      if (!KEPT.getOrDefault(table, Set.of()).contains(row.getString(1))) {
        columns
            .computeIfAbsent(table, _ -> new TreeMap<>())
            .put(row.getString(1), row.getString(2));
      }
    }
    assertThat(columns)
        .as("tables with content of captures")
        .containsOnlyKeys("attempts", "captures", "documents");
    return columns;
  }

  private void fill(String table, Map<String, String> columns, UUID delivery) {
    String row =
        switch (table) {
          case "captures" -> "id = '%s'".formatted(capture);
          case "attempts" -> "delivery_id = '%s'".formatted(delivery);
          default -> "capture_id = '%s'".formatted(capture);
        };
    columns.forEach((column, type) -> {
      assertThat(
              service
                  .query(
                      "update %s set %s = %s where %s returning 1"
                          .formatted(table, column, value(column, type), row))
                  .size())
          .as("rows of %s", table)
          .isOne();
    });
  }

  /** A literal of the type that occurs nowhere else; remembers it as text. */
  private String value(String column, String type) {
    int number = 1_700_000_000 + texts.size();
    String text =
        switch (type) {
          case "text", "json", "jsonb", "bytea" -> "The %s %d".formatted(column, number);
          case "integer", "bigint" -> Integer.toString(number);
          case "smallint[]" -> "31707,31708,%d".formatted(31_000 + texts.size());
          case "uuid[]" -> UUID.randomUUID().toString();
          default -> throw new AssertionError("no value for " + column + ", a " + type);
        };
    texts.add(text);
    return switch (type) {
      case "json", "jsonb" -> "to_jsonb('%s'::text)".formatted(text);
      case "smallint[]", "uuid[]" -> "'{%s}'".formatted(text);
      default -> "'%s'".formatted(text);
    };
  }

  private List<String> found() {
    return TextSearch.inColumns(service, texts.toArray(String[]::new));
  }

  private UUID addDelivery() {
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
    JsonObject endpoint =
        new JsonObject(
            service
                .internal(
                    "POST",
                    "/internal/v1/workspaces/" + workspace + "/endpoints",
                    new JsonObject().put("url", "https://receiver.example/"))
                .body());
    UUID endpointId = UUID.fromString(endpoint.getString("id"));
    UUID delivery = DeliveryId.of(endpointId, capture);
    service.query(
        """
        insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, owed_at)
        values (current_date, '%s', '%s', '%s', 1, 'live', 'delivered', 1, now())
        """
            .formatted(delivery, endpointId, capture));
    service.query(
        """
        insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome)
        values (current_date, '%s', 1, now(), 5, 'delivered')
        """
            .formatted(delivery));
    return delivery;
  }
}
