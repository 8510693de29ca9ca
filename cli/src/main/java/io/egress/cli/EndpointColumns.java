package io.egress.cli;

import io.egress.cli.TableOutput.Columns;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;

/** The columns of tables of endpoints, and of the pages that they were sent. */
final class EndpointColumns {
  static final Columns LISTED =
      new Columns(
          List.of("endpoint", "health", "id"),
          Set.of("endpoint", "health"),
          EndpointColumns::named,
          List.of(
              "description",
              "url",
              "health",
              "succeeded",
              "attempts",
              "last_success_at",
              "failing_since",
              "last_failure_at",
              "last_failure",
              "paused_reason",
              "full_history",
              "created_at",
              "id"));

  static final Columns PAGES =
      new Columns(
          List.of("updated_at", "event", "state", "documents", "last_position", "id"),
          Set.of(),
          List.of(
              "updated_at",
              "event",
              "state",
              "documents",
              "after_position",
              "last_position",
              "attempts",
              "last_status",
              "last_failure",
              "next_attempt_at",
              "owed_at",
              "id"));

  private EndpointColumns() {}

  private static JsonObject named(JsonObject endpoint) {
    return endpoint
        .put(
            "endpoint",
            EndpointText.name(endpoint.getString("description"), endpoint.getString("url")))
        .put("health", EndpointText.health(endpoint));
  }
}
