package io.egress.capture;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One recorded conversation as described by the pipeline: participants by label, segments in time
 * order. Names of members and devices are those of this description.
 */
public record Capture(
    UUID id,
    UUID workspaceId,
    Mode mode,
    @Nullable String title,
    @Nullable String summary,
    Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Long durationMs,
    Device device,
    List<Participant> participants,
    List<Segment> segments) {
  public Capture {
    requireNonNull(id, "id is null");
    requireNonNull(workspaceId, "workspaceId is null");
    requireNonNull(mode, "mode is null");
    requireNonNull(startedAt, "startedAt is null");
    requireNonNull(device, "device is null");
    participants = List.copyOf(participants);
    segments = List.copyOf(segments);
  }
}
