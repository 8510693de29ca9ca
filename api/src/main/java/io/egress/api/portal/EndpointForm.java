package io.egress.api.portal;

import io.egress.api.portal.access.PortalForm;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.endpoint.Payload;
import io.egress.webhook.endpoint.StandardWebhooks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields that the forms for a new endpoint and for changing one share. */
public final class EndpointForm {
  private EndpointForm() {}

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
    return Arrays.stream(Event.values())
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
