package io.egress.transcript.capture;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace member whose voice a participant was matched to. */
public record Member(UUID id, @Nullable String name, @Nullable String email) {}
