package io.egress.endpoint;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint as it may be shown: everything but its secrets.
 *
 * @param previousSecretUntil null unless two secrets sign now
 */
public record Endpoint(
    UUID id,
    String url,
    @Nullable String description,
    boolean fullHistory,
    boolean paused,
    long createdPosition,
    Instant createdAt,
    @Nullable Instant previousSecretUntil) {}
