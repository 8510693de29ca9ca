package io.egress.api.portal;

import io.egress.api.admin.audit.AuditEntry;
import io.egress.api.portal.view.Times;
import io.egress.platform.json.Json;
import io.egress.webhook.delivery.StreamFilter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What entries of the audit log say, as sentences without a subject. */
final class AuditSentences {
  private static final Map<String, Function<JsonObject, String>> SENTENCES =
      Map.ofEntries(
          Map.entry(
              "api_key.created",
              changes ->
                  "Created the API key "
                      + quoted(changes, "name")
                      + reading(changes)
                      + expiry(changes)
                      + expectation(changes)),
          Map.entry("api_key.changed", AuditSentences::changedKey),
          Map.entry("api_key.deleted", changes -> "Deleted the API key " + quoted(changes, "name")),
          Map.entry(
              "capture.erased", changes -> "Erased a capture. Reason: " + text(changes, "reason")),
          Map.entry(
              "captures.expired",
              changes -> "Erased " + captures(changes) + " older than the retention"),
          Map.entry("member.erased", changes -> "Erased a member, in " + captures(changes)),
          Map.entry("workspace.changed", AuditSentences::changedWorkspace),
          Map.entry("workspace.ended", _ -> "Ended the workspace"),
          Map.entry(
              "endpoint.created",
              changes -> "Added the endpoint " + text(changes, "url") + described(changes)),
          Map.entry("endpoint.changed", AuditSentences::changedEndpoint),
          Map.entry("endpoint.paused", AuditSentences::paused),
          Map.entry("endpoint.resumed", _ -> "Resumed the endpoint"),
          Map.entry("endpoint.deleted", changes -> "Deleted the endpoint " + text(changes, "url")),
          Map.entry(
              "endpoint.skipped",
              changes ->
                  "Skipped the capture at position "
                      + text(changes, "position")
                      + " for the endpoint, which was held by it"
                      + reason(changes)),
          Map.entry("endpoint.moved", AuditSentences::moved),
          Map.entry("endpoint.tested", _ -> "Sent a test to the endpoint"),
          Map.entry(
              "secret.rotated",
              changes ->
                  "Rotated the signing secret of the endpoint, with an overlap of "
                      + text(changes, "overlap")),
          Map.entry(
              "secret_overlap.ended", _ -> "Ended the overlap of the endpoint's signing secrets"),
          Map.entry("secret_keys.resealed", _ -> "Encrypted all signing secrets again"),
          Map.entry("replay.started", changes -> "Started a replay of " + range(changes)),
          Map.entry("replay.cancelled", changes -> "Canceled a replay of " + range(changes)),
          Map.entry("redelivery.started", _ -> "Sent a capture to the endpoint again"),
          Map.entry("redelivery.cancelled", _ -> "Canceled a redelivery"),
          Map.entry(
              "portal_link.created",
              changes -> "Created a link to this page, " + role(changes) + named(changes)),
          Map.entry(
              "portal_session.opened", changes -> "Opened this page by a link, " + role(changes)),
          Map.entry("portal_sessions.ended", AuditSentences::endedSessions),
          Map.entry("queue.lost", _ -> "Found that Kafka had lost the queue of deliveries"),
          Map.entry(
              "queue.rebuild_requested",
              _ -> "Requested that the queue of deliveries be published again"));

  /** The names of fields in sentences. */
  private static final Map<String, String> FIELDS =
      Map.ofEntries(
          Map.entry("url", "the URL"),
          Map.entry("description", "the description"),
          Map.entry("max_per_second", "the webhooks per second"),
          Map.entry("max_in_flight", "the webhooks at a time"),
          Map.entry("client_certificate", "the client certificate"),
          Map.entry("oauth2", "the OAuth 2.0 client"),
          Map.entry("public_key", "the public key"),
          Map.entry("standard_webhooks", "signing by Standard Webhooks"),
          Map.entry("events", "the events"),
          Map.entry("payload", "the data"),
          Map.entry("compress", "whether bodies are compressed"),
          Map.entry("filter", "the filter"));

  private AuditSentences() {}

  /** The actions of which there is a sentence. */
  static List<String> actions() {
    return SENTENCES.keySet().stream().sorted().toList();
  }

  static String of(AuditEntry entry) {
    return of(entry.action(), entry.changes());
  }

  static String of(String action, JsonObject changes) {
    Function<JsonObject, String> sentence = SENTENCES.get(action);
    return (sentence == null ? words(action) : sentence.apply(changes)) + ".";
  }

  /** {@code API key created} for {@code api_key.created}. */
  static String words(String action) {
    String words = action.replace('.', ' ').replace('_', ' ').replace("api", "API");
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static String reading(JsonObject changes) {
    return changes.containsKey("filter")
        ? ", which reads only " + filter(changes.getJsonObject("filter"))
        : "";
  }

  private static String changedKey(JsonObject changes) {
    List<String> parts = new ArrayList<>();
    JsonObject expiry = changes.getJsonObject("expires_at");
    if (expiry != null) {
      parts.add("expires " + fromTo(expiry, AuditSentences::time, "never"));
    }
    JsonObject expected = changes.getJsonObject("expect_within");
    if (expected != null) {
      parts.add("is expected to pull " + fromTo(expected, within -> "every " + within, "never"));
    }
    return parts.isEmpty()
        ? "Changed nothing of the API key " + quoted(changes, "name")
        : "Changed when the API key %s %s"
            .formatted(quoted(changes, "name"), String.join(", and ", parts));
  }

  private static String fromTo(JsonObject change, UnaryOperator<String> words, String none) {
    String before = change.getString("from");
    String after = change.getString("to");
    return "from %s to %s"
        .formatted(
            before == null ? none : words.apply(before), after == null ? none : words.apply(after));
  }

  private static String expectation(JsonObject changes) {
    String within = changes.getString("expect_within");
    return within == null ? "" : ", which is expected to pull every " + within;
  }

  private static String expiry(JsonObject changes) {
    String at = changes.getString("expires_at");
    return at == null ? "" : ", which expires at " + time(at);
  }

  private static String endedSessions(JsonObject changes) {
    String actor = changes.getString("actor");
    return "Ended %d sessions and %d links%s"
        .formatted(
            changes.getInteger("sessions", 0),
            changes.getInteger("links", 0),
            actor == null ? "" : " of " + actor);
  }

  private static String changedWorkspace(JsonObject changes) {
    String name = changes.getString("name");
    String retention = changes.getString("retention");
    return "Changed the workspace: "
        + (name == null ? "no name" : "named “" + name + "”")
        + (retention == null
            ? ", captures kept for as long as the service says"
            : ", captures kept for " + retention)
        + (Boolean.TRUE.equals(changes.getBoolean("legal_hold")) ? ", on legal hold" : "")
        + (changes.containsKey("max_endpoints")
            ? ", at most %d endpoints and %d API keys"
                .formatted(changes.getInteger("max_endpoints"), changes.getInteger("max_keys"))
            : "");
  }

  private static String changedEndpoint(JsonObject changes) {
    return "Changed the endpoint: "
        + changes.stream()
            .map(change -> changed(change.getKey(), change.getValue()))
            .collect(Collectors.joining("; "));
  }

  private static String changed(String field, @Nullable Object change) {
    if (!(change instanceof JsonObject values)) {
      return FIELDS.getOrDefault(field, field);
    }
    if (field.equals("headers")) {
      return "the headers"
          + list(" set ", values.getJsonArray("set"))
          + list(" removed ", values.getJsonArray("removed"));
    }
    return FIELDS.getOrDefault(field, field)
        + " from "
        + value(field, values.getValue("from"))
        + " to "
        + value(field, values.getValue("to"));
  }

  private static String list(String verb, @Nullable JsonArray names) {
    return names == null || names.isEmpty()
        ? ""
        : verb + names.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static String value(String field, @Nullable Object value) {
    if (value == null) {
      return "none";
    }
    if (value instanceof JsonObject object) {
      return switch (field) {
        case "filter" -> filter(object);
        case "oauth2" -> text(object, "client_id") + " at " + text(object, "token_url");
        default -> object.getString("subject", "another one");
      };
    }
    if (value instanceof Boolean isOn) {
      return isOn ? "on" : "off";
    }
    return value instanceof String text ? "“" + text + "”" : value.toString();
  }

  private static String filter(JsonObject filter) {
    return FilterText.of(Json.decode(filter.encode(), StreamFilter.class));
  }

  private static String reason(JsonObject changes) {
    String reason = changes.getString("reason");
    return reason == null ? "" : ": “" + reason + "”";
  }

  private static String moved(JsonObject changes) {
    JsonObject number = changes.getJsonObject("changes_position");
    JsonObject moved =
        number == null ? changes.getJsonObject("position", new JsonObject()) : number;
    return "Moved the cursor of the endpoint from %s %s to %s"
        .formatted(number == null ? "position" : "change", text(moved, "from"), text(moved, "to"));
  }

  private static String paused(JsonObject changes) {
    String since = changes.getString("failing_since");
    return since == null
        ? "Paused the endpoint"
        : "Paused the endpoint, because every attempt has failed since " + time(since);
  }

  private static String described(JsonObject changes) {
    String description = changes.getString("description");
    return (description == null ? "" : " for “" + description + "”")
        + (changes.containsKey("clone_of") ? ", a clone of another one" : "")
        + (Boolean.TRUE.equals(changes.getBoolean("full_history")) ? ", with the full history" : "")
        + ("stream".equals(changes.getString("delivery"))
            ? ", which is sent the stream in pages of " + text(changes, "batch")
            : "")
        + (Boolean.TRUE.equals(changes.getBoolean("paused")) ? ", paused" : "");
  }

  private static String range(JsonObject changes) {
    String what = changes.getString("only") == null ? "everything" : "what was not delivered";
    return "%s from position %s to %s"
        .formatted(what, text(changes, "from_position"), text(changes, "to_position"));
  }

  private static String role(JsonObject changes) {
    return switch (changes.getString("role", "view")) {
      case "admin" -> "as an admin";
      case "operator" -> "as an operator";
      default -> "view only";
    };
  }

  private static String named(JsonObject changes) {
    String actor = changes.getString("actor");
    return actor == null ? "" : ", for " + actor;
  }

  private static String captures(JsonObject changes) {
    long count = changes.getLong("captures", 0L);
    return count == 1 ? "1 capture" : Times.number(count) + " captures";
  }

  private static String quoted(JsonObject changes, String field) {
    return "“" + text(changes, field) + "”";
  }

  private static String text(JsonObject changes, String field) {
    Object value = changes.getValue(field);
    return value == null ? "–" : value.toString();
  }

  private static String time(String instant) {
    try {
      return Times.shown(Instant.parse(instant)) + " UTC";
    } catch (DateTimeException notOne) {
      return instant;
    }
  }
}
