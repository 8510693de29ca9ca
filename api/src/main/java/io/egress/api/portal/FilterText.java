package io.egress.api.portal;

import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.StreamFilter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A filter in words. */
public final class FilterText {
  private static final int NAMED_MAX = 3;

  private FilterText() {}

  /** What passes, such as "manual captures of the device ...". */
  public static String of(@Nullable StreamFilter filter) {
    if (filter == null) {
      return "all captures";
    }
    Set<Mode> modes = filter.modes();
    return (modes == null
            ? ""
            : modes.stream().map(Mode::wireName).collect(Collectors.joining(" and ")) + " ")
        + "captures"
        + ofDevices(filter.devices());
  }

  /** The choices of the form; empty for all. */
  public static List<String> modes() {
    return Stream.concat(Stream.of(""), Mode.wireNames().stream()).toList();
  }

  /** The mode that the filter wants; empty for all. */
  public static String mode(@Nullable StreamFilter filter) {
    Set<Mode> modes = filter == null ? null : filter.modes();
    return modes == null || modes.size() > 1 ? "" : modes.iterator().next().wireName();
  }

  /** The ids of the devices that the filter wants, one a line; empty for all. */
  public static String devices(@Nullable StreamFilter filter) {
    Set<UUID> devices = filter == null ? null : filter.devices();
    return devices == null
        ? ""
        : devices.stream().map(UUID::toString).collect(Collectors.joining("\n"));
  }

  private static String ofDevices(@Nullable Set<UUID> devices) {
    if (devices == null) {
      return "";
    }
    String shown =
        devices.stream().limit(NAMED_MAX).map(UUID::toString).collect(Collectors.joining(", "));
    int more = devices.size() - NAMED_MAX;
    return (devices.size() == 1 ? " of the device " : " of the devices ")
        + shown
        + (more > 0 ? " and " + more + " more" : "");
  }
}
