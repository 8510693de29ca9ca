package io.egress.dispatcher.pause;

import java.time.Instant;
import java.util.UUID;

/** An endpoint that was paused because every attempt since {@code failingSince} had failed. */
record PausedEndpoint(UUID id, UUID workspaceId, Instant failingSince, Instant pausedAt) {}
