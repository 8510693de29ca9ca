package io.egress.api.portal;

import io.egress.api.portal.access.PortalForm;
import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.StreamFilter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fields of a filter in the forms for endpoints and keys. */
public final class FilterForm {
  private FilterForm() {}

  /**
   * As the internal API has it; null for all. What is no id is passed on, and rejected by the
   * body's parser.
   */
  static @Nullable JsonObject body(PortalForm form) {
    JsonObject filter = new JsonObject();
    String mode = form.text("filter");
    if (!mode.isEmpty()) {
      filter.put("modes", new JsonArray().add(mode));
    }
    String devices = form.text("filter_devices");
    if (!devices.isEmpty()) {
      filter.put("devices", new JsonArray(List.of(devices.split("[\\s,]+"))));
    }
    return filter.isEmpty() ? null : filter;
  }

  /** The choices of the form; empty for all. */
  public static List<String> modes() {
    return Stream.concat(Stream.of(""), Mode.wireNames().stream()).toList();
  }

  /** The mode that the filter wants; empty for all. */
  public static String mode(@Nullable StreamFilter filter) {
    Set<Mode> modes = filter == null ? null : filter.modes();
    return modes == null || modes.size() != 1 ? "" : modes.iterator().next().wireName();
  }

  /** The ids of the devices that the filter wants, one a line; empty for all. */
  public static String devices(@Nullable StreamFilter filter) {
    Set<UUID> devices = filter == null ? null : filter.devices();
    return devices == null
        ? ""
        : devices.stream().map(UUID::toString).collect(Collectors.joining("\n"));
  }
}
