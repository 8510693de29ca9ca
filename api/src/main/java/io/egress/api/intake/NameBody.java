package io.egress.api.intake;

import io.egress.capture.Device;
import io.egress.capture.Member;
import io.vertx.core.buffer.Buffer;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The small bodies that name something: members, devices, speakers and keys. */
public final class NameBody {
  private static final int NAME_CHARS_MAX = 320;

  /** A device as a workspace knows it. */
  public record NamedDevice(UUID workspaceId, Device device) {}

  /** A member as a workspace knows it. */
  public record NamedMember(UUID workspaceId, Member member) {}

  /** Who a participant turned out to be; without a member, nobody the workspace knows. */
  public record Speaker(@Nullable Member member, @Nullable Double matchConfidence) {}

  private NameBody() {}

  public static Intake<NamedDevice> device(Buffer body, UUID id) {
    return SmallBody.read(
        body,
        Set.of("workspace_id", "name"),
        fields ->
            new NamedDevice(
                fields.uuid("workspace_id"), new Device(id, optionalName(fields, "name"))));
  }

  public static Intake<NamedMember> member(Buffer body, UUID id) {
    return SmallBody.read(
        body,
        Set.of("workspace_id", "name", "email"),
        fields ->
            new NamedMember(
                fields.uuid("workspace_id"),
                new Member(
                    id, fields.text("name", NAME_CHARS_MAX), optionalName(fields, "email"))));
  }

  public static Intake<Speaker> speaker(Buffer body) {
    return SmallBody.read(
        body,
        Set.of("member", "match_confidence"),
        fields -> {
          fields.requirePresence("member");
          Member member = member(fields.optionalObject("member"));
          Double confidence = fields.optionalShare("match_confidence");
          if (member == null && confidence != null) {
            fields.fault("match_confidence", "must be null without a member");
          }
          return new Speaker(member, confidence);
        });
  }

  /** The name of an API key. */
  public static Intake<String> key(Buffer body) {
    return SmallBody.read(body, Set.of("name"), fields -> fields.text("name", NAME_CHARS_MAX));
  }

  static @Nullable Member member(@Nullable Fields fields) {
    return fields == null
        ? null
        : new Member(
            fields.uuid("id"), optionalName(fields, "name"), optionalName(fields, "email"));
  }

  static @Nullable String optionalName(Fields fields, String name) {
    return fields.hasValue(name) ? fields.text(name, NAME_CHARS_MAX) : null;
  }
}
