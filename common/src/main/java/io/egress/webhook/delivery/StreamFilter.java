package io.egress.webhook.delivery;

import io.egress.transcript.capture.Mode;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The part of a stream that an endpoint wants. In SQL, {@code wants} decides the same.
 *
 * @param modes null for all
 * @param devices null for all
 */
public record StreamFilter(@Nullable Set<Mode> modes, @Nullable Set<UUID> devices) {
  public static final StreamFilter NOTHING = new StreamFilter(Set.of(), null);

  /** For a key, each is a look into an index for every page. */
  public static final int DEVICES_MAX = 100;

  public StreamFilter {
    // A mode of a newer release was read as null.
    modes =
        modes == null
            ? null
            : sorted(modes.stream().filter(Objects::nonNull).collect(Collectors.toSet()));
    devices = devices == null ? null : sorted(devices);
  }

  /** Equal sets are written in the same order. */
  private static <T extends Comparable<? super T>> Set<T> sorted(Set<T> values) {
    return Collections.unmodifiableSet(new TreeSet<>(values));
  }

  boolean wants(Traits traits) {
    Mode mode = traits.mode();
    return (modes == null || (mode != null && modes.contains(mode)))
        && (devices == null || devices.contains(traits.deviceId()));
  }
}
