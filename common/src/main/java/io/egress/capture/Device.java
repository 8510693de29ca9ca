package io.egress.capture;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The capturing device, named after the room where it lives. */
public record Device(UUID id, @Nullable String name) {
  public Device {
    requireNonNull(id, "id is null");
  }
}
