package io.egress.api.portal;

import io.egress.api.portal.access.PortalForm;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.Payload;
import io.egress.webhook.endpoint.StandardWebhooks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields that the forms for a new endpoint and for changing one share. */
public final class EndpointForm {
  private EndpointForm() {}

  /** Everything that the form for a new endpoint has. */
  static JsonObject newBody(PortalForm form) {
    JsonObject body = body(form).mergeIn(startBody(form)).put("paused", form.isChecked("paused"));
    JsonObject headers = headers(form.text("headers"));
    if (!headers.isEmpty()) {
      body.put("headers", headers);
    }
    if (!form.text("token_url").isEmpty()) {
      body.put("oauth2", oauth2(form));
    }
    if (!form.text("certificate").isEmpty()) {
      body.put("client_certificate", certificate(form));
    }
    return body;
  }

  /** What cannot be changed later. */
  static JsonObject startBody(PortalForm form) {
    JsonObject body = new JsonObject().put("full_history", form.isChecked("full_history"));
    if (!form.text("from").isEmpty()) {
      body.put("from", LocalTimes.instant(form.text("from")));
    }
    if (!form.text("delivery").isEmpty()) {
      body.put("delivery", form.text("delivery"));
    }
    if (!form.text("batch").isEmpty()) {
      body.put("batch", number(form.text("batch")));
    }
    return body;
  }

  /** A line without a colon is a name without a value, which is refused. */
  private static JsonObject headers(String lines) {
    JsonObject headers = new JsonObject();
    lines
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> {
          int colon = line.indexOf(':');
          headers.put(
              (colon < 0 ? line : line.substring(0, colon)).strip(),
              colon < 0 ? "" : line.substring(colon + 1).strip());
        });
    return headers;
  }

  static JsonObject oauth2(PortalForm form) {
    JsonObject client = new JsonObject();
    for (String name : List.of("token_url", "client_id", "client_secret", "scope", "audience")) {
      client.put(name, form.text(name).isEmpty() ? null : form.text(name));
    }
    return client;
  }

  static JsonObject certificate(PortalForm form) {
    return new JsonObject()
        .put("certificate", form.text("certificate"))
        .put("key", form.text("key"));
  }

  /** As the internal API has them. */
  static JsonObject body(PortalForm form) {
    String description = form.text("description");
    return new JsonObject()
        .put("url", form.text("url"))
        .put("description", description.isEmpty() ? null : description)
        .put("max_per_second", number(form.text("max_per_second")))
        .put("max_in_flight", number(form.text("max_in_flight")))
        .put("standard_webhooks", standardWebhooks(form.text("standard_webhooks")))
        .put("events", new JsonArray(Event.words(events(form))))
        .put("payload", (form.isChecked("payload") ? Payload.REFERENCE : Payload.DOCUMENT).word())
        .put("compress", form.isChecked("compress"))
        .put("filter", FilterForm.body(form));
  }

  /** The values of the field; its empty value is {@link StandardWebhooks#OFF}. */
  public static String valueOf(StandardWebhooks standard) {
    return standard == StandardWebhooks.OFF ? "" : String.valueOf(standard.value());
  }

  private static Object standardWebhooks(String value) {
    return value.isEmpty() || value.equals("true") ? !value.isEmpty() : value;
  }

  private static List<Event> events(PortalForm form) {
    return Event.OF_CAPTURES.stream()
        .filter(event -> event == Event.CAPTURE_PROCESSED || form.isChecked(event.word()))
        .toList();
  }

  /** Values that are not numbers are passed on, and rejected by the body's parser. */
  private static @Nullable Object number(String text) {
    if (text.isEmpty()) {
      return null;
    }
    return text.matches("[0-9]{1,9}") ? (Object) Integer.valueOf(text) : text;
  }
}
