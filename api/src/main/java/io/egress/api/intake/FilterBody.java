package io.egress.api.intake;

import io.egress.transcript.capture.Mode;
import io.egress.webhook.delivery.StreamFilter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The filter in a body. */
final class FilterBody {
  /** Of a shape whose body has a filter: all, since what is not known must not be ignored. */
  static final List<String> PATHS = List.of("filter.modes.[]", "filter.devices.[]", "filter.*");

  private static final String NAME = "filter";

  private FilterBody() {}

  /** Null if it is absent or null. */
  static @Nullable StreamFilter read(Fields fields) {
    Fields given = fields.optionalObject(NAME);
    if (given == null) {
      return null;
    }
    given.requireKnown(List.of("modes", "devices"));
    Set<String> modes = given.optionalWords("modes", Set.copyOf(Mode.wireNames()));
    if (modes != null && modes.isEmpty()) {
      given.fault("modes", "must not be empty: leave it out for all");
    }
    Set<UUID> devices = given.optionalUuids("devices", StreamFilter.DEVICES_MAX);
    if (modes == null && devices == null && given.isSound("modes") && given.isSound("devices")) {
      fields.fault(NAME, "must have modes or devices, or be null for everything");
    }
    return new StreamFilter(modes(modes), devices);
  }

  private static @Nullable Set<Mode> modes(@Nullable Set<String> words) {
    return words == null
        ? null
        : words.stream()
            .flatMap(word -> Mode.find(word).stream())
            .collect(Collectors.toUnmodifiableSet());
  }
}
