package io.egress.api.portal;

import io.egress.api.portal.access.PortalForm;
import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.StreamFilter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fields of a filter in the forms for endpoints and keys. */
public final class FilterForm {
  private static final String SEPARATOR = ",";

  private FilterForm() {}

  /**
   * As the internal API has it; null for all. What is no id is passed on, and rejected by the
   * body's parser.
   */
  static @Nullable JsonObject body(PortalForm form) {
    JsonObject filter = new JsonObject();
    String modes = form.text("filter");
    if (!modes.isEmpty()) {
      filter.put("modes", new JsonArray(List.of(modes.split(SEPARATOR, -1))));
    }
    String devices = form.text("filter_devices");
    if (!devices.isEmpty()) {
      filter.put("devices", new JsonArray(List.of(devices.split("[\\s,]+"))));
    }
    return filter.isEmpty() ? null : filter;
  }

  /**
   * The choices of the form: all, which is empty, each mode, and what the filter wants now, so that
   * a form that is saved as it is changes nothing.
   */
  public static List<String> choices(@Nullable StreamFilter filter) {
    return Stream.of(Stream.of(""), Mode.wireNames().stream(), Stream.of(chosen(filter)))
        .flatMap(Function.identity())
        .distinct()
        .toList();
  }

  /** The modes that the filter wants; empty for all. */
  public static String chosen(@Nullable StreamFilter filter) {
    Set<Mode> modes = filter == null ? null : filter.modes();
    return modes == null
        ? ""
        : modes.stream().map(Mode::wireName).collect(Collectors.joining(SEPARATOR));
  }

  /** A choice in words. */
  public static String label(String choice) {
    return choice.isEmpty() ? "all modes" : "only " + choice.replace(SEPARATOR, " and ");
  }

  /** The ids of the devices that the filter wants, one a line; empty for all. */
  public static String devices(@Nullable StreamFilter filter) {
    Set<UUID> devices = filter == null ? null : filter.devices();
    return devices == null
        ? ""
        : devices.stream().map(UUID::toString).collect(Collectors.joining("\n"));
  }
}
