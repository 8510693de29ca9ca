package io.egress.api.intake;

import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The bodies that name members, devices and speakers. */
public final class NameBody {
  private static final int NAME_CHARACTERS_MAX = 320;
  private static final Shape DEVICE = Shape.of("workspace_id", "name");
  private static final Shape MEMBER = Shape.of("workspace_id", "name", "email");
  private static final Shape SPEAKER =
      Shape.of("member.id", "member.name", "member.email", "match_confidence");

  /** A device as a workspace knows it. */
  public record NamedDevice(UUID workspaceId, Device device) {}

  /** A member as a workspace knows it. */
  public record NamedMember(UUID workspaceId, Member member) {}

  /** The identity of a participant; without a member, the participant is unknown. */
  public record Speaker(@Nullable Member member, @Nullable Double matchConfidence) {
    /** A confidence that is not given stays as long as the member does. */
    public Participant assignedTo(Participant participant) {
      Double confidence = matchConfidence;
      if (confidence == null && isMemberOf(participant)) {
        confidence = participant.matchConfidence();
      }
      return new Participant(participant.label(), member, confidence, participant.speechMs());
    }

    private boolean isMemberOf(Participant participant) {
      Member before = participant.member();
      return member != null && before != null && member.id().equals(before.id());
    }
  }

  private NameBody() {}

  public static Intake<NamedDevice> device(Buffer body, UUID id) {
    return Intake.read(
        GivenBody.of(body),
        DEVICE,
        fields ->
            new NamedDevice(
                fields.uuid("workspace_id"), new Device(id, optionalName(fields, "name"))));
  }

  public static Intake<NamedMember> member(Buffer body, UUID id) {
    return Intake.read(
        GivenBody.of(body),
        MEMBER,
        fields ->
            new NamedMember(
                fields.uuid("workspace_id"),
                new Member(id, name(fields), optionalName(fields, "email"))));
  }

  public static Intake<Speaker> speaker(Buffer body) {
    return Intake.read(
        GivenBody.of(body),
        SPEAKER,
        fields -> {
          fields.requirePresence("member");
          Member member = member(fields.optionalObject("member"));
          return new Speaker(member, confidence(fields, member));
        });
  }

  static @Nullable Member member(@Nullable Fields fields) {
    return fields == null
        ? null
        : new Member(
            fields.uuid("id"), optionalName(fields, "name"), optionalName(fields, "email"));
  }

  /** The confidence of the voice match; requires a {@code member}. */
  static @Nullable Double confidence(Fields fields, @Nullable Member member) {
    Double confidence = fields.optionalNumber("match_confidence", 0, 1);
    if (member == null && confidence != null) {
      fields.fault("match_confidence", "must be null without a member");
    }
    return confidence;
  }

  static @Nullable String optionalName(Fields fields, String name) {
    return fields.optionalText(name, NAME_CHARACTERS_MAX);
  }

  private static String name(Fields fields) {
    return fields.text("name", NAME_CHARACTERS_MAX);
  }
}
