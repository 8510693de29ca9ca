package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which captures an endpoint or a key gets. */
final class FilterOptions {
  private static final String ALL = "all";

  @Option(
      names = "--mode",
      split = ",",
      paramLabel = "MODE",
      description = "only captures that began as ambient or manual, or all")
  private @Nullable List<String> modes;

  @Option(
      names = "--device",
      split = ",",
      paramLabel = "ID",
      description =
          "only captures of this device; may be repeated; all for every device. With --mode, it is"
              + " the whole filter")
  private @Nullable List<String> devices;

  /** Adds the filter if one was given, null if it is all. */
  void putInto(JsonObject body) {
    if (modes == null && devices == null) {
      return;
    }
    JsonObject filter = new JsonObject();
    put(filter, "modes", modes);
    put(filter, "devices", devices);
    body.put("filter", filter.isEmpty() ? null : filter);
  }

  private static void put(JsonObject filter, String name, @Nullable List<String> given) {
    if (given != null && !given.equals(List.of(ALL))) {
      filter.put(name, new JsonArray(given));
    }
  }
}
