package io.egress.api.intake;

import io.egress.platform.http.Refusal;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The bodies that name members, devices and speakers. */
public final class NameBody {
  private static final int NAME_CHARACTERS_MAX = 320;
  private static final String WITHOUT_MEMBER = "must be null without a member";
  private static final Shape DEVICE = Shape.of("workspace_id", "name");
  private static final Shape MEMBER = Shape.of("workspace_id", "name", "email");
  private static final Shape SPEAKER =
      Shape.of("member.id", "member.name", "member.email", "match_confidence");

  /** A device to be named; without {@code changesName}, a known name stays. */
  public record NamedDevice(UUID workspaceId, Device device, boolean changesName) {}

  /** A member to be named. */
  public record NamedMember(UUID workspaceId, MemberChange change) {}

  /** What a body says of a member: a field that it does not give stays as it is. */
  public record MemberChange(Member member, boolean changesName, boolean changesEmail) {
    private static MemberChange of(UUID id, Fields fields) {
      return new MemberChange(
          new Member(id, optionalName(fields, "name"), optionalName(fields, "email")),
          fields.has("name"),
          fields.has("email"));
    }
  }

  /**
   * A change of who a participant is.
   *
   * @param changesMember whether the participant gets another member, or none
   * @param changesConfidence whether the confidence is set, possibly to null
   */
  public record Speaker(
      boolean changesMember,
      @Nullable MemberChange member,
      boolean changesConfidence,
      @Nullable Double matchConfidence) {
    /** A confidence that is not given stays as long as the member does. */
    public Participant assignedTo(Participant participant) {
      Member before = participant.member();
      Member after = before;
      if (changesMember) {
        after = member == null ? null : member.member();
      }
      Double confidence = matchConfidence;
      if (!changesConfidence && isSame(before, after)) {
        confidence = participant.matchConfidence();
      }
      if (after == null && confidence != null) {
        throw new Refusal(400, "match_confidence: " + WITHOUT_MEMBER);
      }
      return new Participant(participant.label(), after, confidence, participant.speechMs());
    }

    private static boolean isSame(@Nullable Member before, @Nullable Member after) {
      return before != null && after != null && before.id().equals(after.id());
    }
  }

  private NameBody() {}

  /** An absent name is unchanged; null clears it. */
  public static Intake<NamedDevice> device(Buffer body, UUID id) {
    return Intake.read(
        GivenBody.of(body),
        DEVICE,
        fields ->
            new NamedDevice(
                fields.uuid("workspace_id"),
                new Device(id, optionalName(fields, "name")),
                fields.has("name")));
  }

  /** An absent name or email is unchanged; null clears it. */
  public static Intake<NamedMember> member(Buffer body, UUID id) {
    return Intake.read(
        GivenBody.of(body),
        MEMBER,
        fields -> new NamedMember(fields.uuid("workspace_id"), MemberChange.of(id, fields)));
  }

  /** What is absent is unchanged. */
  public static Intake<Speaker> speaker(Buffer body) {
    return Intake.read(GivenBody.of(body), SPEAKER, NameBody::speaker);
  }

  private static Speaker speaker(Fields fields) {
    if (!fields.has("member") && !fields.has("match_confidence")) {
      fields.faultOfAll("member or match_confidence is required");
    }
    Fields given = fields.optionalObject("member");
    MemberChange member = given == null ? null : MemberChange.of(given.uuid("id"), given);
    Double confidence = fields.optionalNumber("match_confidence", 0, 1);
    if (fields.has("member") && member == null && confidence != null) {
      fields.fault("match_confidence", WITHOUT_MEMBER);
    }
    return new Speaker(fields.has("member"), member, fields.has("match_confidence"), confidence);
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
      fields.fault("match_confidence", WITHOUT_MEMBER);
    }
    return confidence;
  }

  static @Nullable String optionalName(Fields fields, String name) {
    return fields.optionalText(name, NAME_CHARACTERS_MAX);
  }
}
