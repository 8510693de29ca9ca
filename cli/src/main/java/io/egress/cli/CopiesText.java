package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Who has a copy of a capture, as rows for people and for files. */
final class CopiesText {
  /** All that is known, as fields of {@link #rows}. */
  private static final List<String> FIELDS =
      List.of("kind", "who", "id", "sent", "at", "revision", "told", "told_at", "ended_at");

  private CopiesText() {}

  static JsonArray rows(JsonObject copies) {
    JsonArray rows = new JsonArray();
    copies.getJsonArray("keys").forEach(each -> rows.add(ofKey((JsonObject) each)));
    copies.getJsonArray("endpoints").forEach(each -> rows.add(ofEndpoint((JsonObject) each)));
    return rows;
  }

  private static JsonObject ofKey(JsonObject key) {
    return new JsonObject()
        .put("kind", "key")
        .put("who", "key " + key.getString("name") + " (" + key.getString("last_four") + ")")
        .put("id", key.getString("key_id"))
        .put("sent", key.getString("sent") + (key.getBoolean("reads_by_id") ? ", by id" : ""))
        .put("at", key.getString("last_used_at"))
        .put("told", told(key))
        .put("ended_at", key.getString("ended_at"));
  }

  private static JsonObject ofEndpoint(JsonObject endpoint) {
    String day = endpoint.getString("day");
    String erased = endpoint.getString("erased_at");
    return new JsonObject()
        .put("kind", "endpoint")
        .put(
            "who",
            "endpoint "
                + EndpointText.name(endpoint.getString("description"), endpoint.getString("url")))
        .put("id", endpoint.getString("endpoint_id"))
        .put(
            "sent",
            endpoint.getString("sent")
                + (endpoint.getBoolean("unreached", false) ? ", unreached" : "")
                + (day == null ? "" : ", " + day))
        .put("at", endpoint.getString("delivered_at"))
        .put("revision", endpoint.getValue("revision"))
        .put("told", told(endpoint))
        .put("told_at", erased == null ? endpoint.getString("updated_at") : erased)
        .put("ended_at", endpoint.getString("deleted_at"));
  }

  private static @Nullable String told(JsonObject copy) {
    Boolean told = copy.getBoolean("told");
    if (told == null) {
      return null;
    }
    return told ? "yes" : "no";
  }

  static String csv(JsonArray rows) {
    StringBuilder csv = new StringBuilder(String.join(",", FIELDS)).append("\r\n");
    for (Object each : rows) {
      JsonObject row = (JsonObject) each;
      csv.append(
              FIELDS.stream()
                  .map(field -> quoted(row.getValue(field)))
                  .collect(Collectors.joining(",")))
          .append("\r\n");
    }
    return csv.toString();
  }

  /** What a spreadsheet would take for a formula begins with an apostrophe. */
  private static String quoted(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    String harmless = text.matches("[=+\\-@\t\r].*") ? "'" + text : text;
    return harmless.matches("[^,\"\\r\\n]*")
        ? harmless
        : '"' + harmless.replace("\"", "\"\"") + '"';
  }
}
