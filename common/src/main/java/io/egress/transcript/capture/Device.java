package io.egress.transcript.capture;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The recording device, named after its room. */
public record Device(UUID id, @Nullable String name) {}
