package io.egress.transcript.capture;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
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
    participants = List.copyOf(participants);
    segments = List.copyOf(segments);
  }

  /** Names of members are replaced by {@code names}, which is called once for each of them. */
  public Capture withNames(Device renamedDevice, UnaryOperator<Member> names) {
    Map<UUID, Member> members = new HashMap<>();
    List<Participant> renamed = new ArrayList<>(participants.size());
    for (Participant participant : participants) {
      Member member = participant.member();
      renamed.add(
          member == null
              ? participant
              : participant.withMember(
                  members.computeIfAbsent(member.id(), _ -> names.apply(member))));
    }
    return with(renamedDevice, renamed);
  }

  /** {@code changed} replaces the participant with the same label. */
  public Capture withParticipant(Participant changed) {
    return with(
        device,
        participants.stream()
            .map(each -> each.label().equals(changed.label()) ? changed : each)
            .toList());
  }

  private Capture with(Device device, List<Participant> changed) {
    return new Capture(
        id,
        workspaceId,
        mode,
        title,
        summary,
        startedAt,
        endedAt,
        durationMs,
        device,
        changed,
        segments);
  }
}
