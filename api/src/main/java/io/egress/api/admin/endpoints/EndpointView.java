package io.egress.api.admin.endpoints;

import io.egress.platform.json.UtcInstant;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Envelope.Event;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Endpoints as the internal API shows them. */
final class EndpointView {
  private EndpointView() {}

  static JsonObject of(Endpoint endpoint) {
    return json(endpoint, null);
  }

  static JsonObject of(Endpoints.Issued issued) {
    return json(issued.endpoint(), issued.secret());
  }

  private static JsonObject json(Endpoint endpoint, @Nullable String secret) {
    JsonObject json =
        new JsonObject()
            .put("id", endpoint.id().toString())
            .put("url", endpoint.url())
            .put("description", endpoint.description());
    if (secret != null) {
      json.put("secret", secret)
          .put("standard_webhooks_secret", SigningSecrets.inStandardForm(secret));
    }
    return json.put("full_history", endpoint.fullHistory())
        .put("headers", new JsonArray(endpoint.headerNames()))
        .put("max_per_second", endpoint.limits().maxPerSecond())
        .put("max_in_flight", endpoint.limits().maxInFlight())
        .put("client_certificate", certificate(endpoint.clientCertificate()))
        .put("standard_webhooks", endpoint.standardWebhooks())
        .put("events", events(endpoint.erasures()))
        .put("paused", endpoint.paused())
        .put("paused_at", time(endpoint.pausedAt()))
        .put("paused_reason", endpoint.pausedReason())
        .put("created_position", endpoint.createdPosition())
        .put("created_at", UtcInstant.format(endpoint.createdAt()))
        .put("previous_secret_until", time(endpoint.previousSecretUntil()));
  }

  static JsonArray events(boolean erasures) {
    return new JsonArray(Event.words(erasures));
  }

  static @Nullable JsonObject certificate(ClientCertificate.@Nullable Shown certificate) {
    return certificate == null
        ? null
        : new JsonObject()
            .put("subject", certificate.subject())
            .put("expires_at", UtcInstant.format(certificate.expiresAt()));
  }

  private static @Nullable String time(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
