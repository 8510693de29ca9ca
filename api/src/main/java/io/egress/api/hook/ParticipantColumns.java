package io.egress.api.hook;

import io.egress.capture.Capture;
import io.egress.capture.Member;
import io.egress.capture.Participant;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The participants of many captures as one array per column, to be inserted by one statement. */
final class ParticipantColumns {
  private final List<UUID> captureIds = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private final List<UUID> workspaceIds = new ArrayList<>();
  private final List<@Nullable UUID> memberIds = new ArrayList<>();
  private final List<@Nullable Double> matchConfidences = new ArrayList<>();
  private final List<Long> speechMillis = new ArrayList<>();

  static ParticipantColumns of(List<IncomingCapture> captures) {
    ParticipantColumns columns = new ParticipantColumns();
    for (IncomingCapture incoming : captures) {
      for (Participant participant : incoming.capture().participants()) {
        columns.add(incoming.capture(), participant);
      }
    }
    return columns;
  }

  private void add(Capture capture, Participant participant) {
    Member member = participant.member();
    captureIds.add(capture.id());
    labels.add(participant.label());
    workspaceIds.add(capture.workspaceId());
    memberIds.add(member == null ? null : member.id());
    matchConfidences.add(participant.matchConfidence());
    speechMillis.add(participant.speechMs());
  }

  boolean isEmpty() {
    return captureIds.isEmpty();
  }

  /** Participants are stored and shown in the order they were added. */
  Tuple addTo(Tuple columns) {
    Integer[] ordinals = new Integer[labels.size()];
    for (int i = 0; i < ordinals.length; i++) {
      ordinals[i] = i;
    }
    return columns
        .addArrayOfUUID(captureIds.toArray(UUID[]::new))
        .addArrayOfString(labels.toArray(String[]::new))
        .addArrayOfInteger(ordinals)
        .addArrayOfUUID(workspaceIds.toArray(UUID[]::new))
        .addArrayOfUUID(memberIds.toArray(UUID[]::new))
        .addArrayOfDouble(matchConfidences.toArray(Double[]::new))
        .addArrayOfLong(speechMillis.toArray(Long[]::new));
  }
}
