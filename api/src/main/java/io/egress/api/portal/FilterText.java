package io.egress.api.portal;

import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.StreamFilter;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
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
        + devices(filter.devices());
  }

  private static String devices(@Nullable Set<UUID> devices) {
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
