package io.egress.api.intake;

import static io.egress.api.intake.Bodies.ID;
import static io.egress.api.intake.Bodies.accepted;
import static io.egress.api.intake.Bodies.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NameBodyTest {
  private static final UUID WORKSPACE = UUID.fromString("11111111-2222-3333-4444-555555555555");

  @Test
  void readsMembers() {
    assertThat(accepted(member("{'workspace_id':'W','name':'Ada','email':'a@b'}")))
        .isEqualTo(named(change(ID, "Ada", "a@b", true, true)));
    assertThat(accepted(member("{'workspace_id':'W','name':'Ada','email':null,'x':[]}")))
        .isEqualTo(named(change(ID, "Ada", null, true, true)));
    assertThat(accepted(member("{'workspace_id':'W','name':'Ada'}")))
        .isEqualTo(named(change(ID, "Ada", null, true, false)));
    assertThat(accepted(member("{'workspace_id':'W','email':'a@b'}")))
        .isEqualTo(named(change(ID, null, "a@b", false, true)));
  }

  @Test
  void readsDevices() {
    assertThat(accepted(device("{'workspace_id':'W','name':'Kitchen'}")))
        .isEqualTo(new NameBody.NamedDevice(WORKSPACE, new Device(ID, "Kitchen"), true));
    assertThat(accepted(device("{'workspace_id':'W','name':null}")))
        .isEqualTo(new NameBody.NamedDevice(WORKSPACE, new Device(ID, null), true));
    assertThat(accepted(device("{'workspace_id':'W'}")))
        .isEqualTo(new NameBody.NamedDevice(WORKSPACE, new Device(ID, null), false));
  }

  @Test
  void readsSpeakers() {
    assertThat(accepted(speaker("{'member':null}")))
        .isEqualTo(new NameBody.Speaker(true, null, false, null));
    assertThat(accepted(speaker("{'match_confidence':null}")))
        .isEqualTo(new NameBody.Speaker(false, null, true, null));
    assertThat(accepted(speaker("{'member':{'id':'W'},'match_confidence':-0.0}")))
        .isEqualTo(
            new NameBody.Speaker(true, change(WORKSPACE, null, null, false, false), true, 0.0));
    assertThat(accepted(speaker("{'match_confidence':1,'member':{'id':'W','name':'A'}}")))
        .isEqualTo(
            new NameBody.Speaker(true, change(WORKSPACE, "A", null, true, false), true, 1.0));
  }

  private static NameBody.NamedMember named(NameBody.MemberChange change) {
    return new NameBody.NamedMember(WORKSPACE, change);
  }

  private static NameBody.MemberChange change(
      UUID id,
      @Nullable String name,
      @Nullable String email,
      boolean changesName,
      boolean changesEmail) {
    return new NameBody.MemberChange(new Member(id, name, email), changesName, changesEmail);
  }

  @ParameterizedTest
  @MethodSource
  void namesEveryFault(Function<String, Intake<?>> reader, String body, String told) {
    assertThat(refused(reader.apply(body)).summary()).isEqualTo(told);
  }

  static Stream<Arguments> namesEveryFault() {
    Function<String, Intake<?>> member = NameBodyTest::member;
    Function<String, Intake<?>> device = NameBodyTest::device;
    Function<String, Intake<?>> speaker = NameBodyTest::speaker;
    Function<String, Intake<?>> key = NameBodyTest::key;
    return Stream.of(
        arguments(member, "{}", "workspace_id: is required"),
        arguments(
            member,
            "{'workspace_id':7,'name':null,'email':''}",
            "workspace_id: must be a string, not a number; email: must not be blank"),
        arguments(member, "[]", "must be a JSON object, not an array"),
        arguments(
            device, "{'workspace_id':'W','name':['a']}", "name: must be a string, not an array"),
        arguments(speaker, "{}", "member or match_confidence is required"),
        arguments(
            speaker,
            "{'member':null,'match_confidence':0.5}",
            "match_confidence: must be null without a member"),
        arguments(
            speaker,
            "{'member':{'name':1},'match_confidence':1.5}",
            "member.id: is required; member.name: must be a string, not a number; "
                + "match_confidence: must be from 0 to 1, not 1.5"),
        arguments(speaker, "{'member':{}}", "member.id: is required"),
        arguments(speaker, "{'member':'Ada'}", "member: must be an object, not a string"),
        arguments(key, "{'name':' '}", "name: must not be blank"),
        arguments(key, "{'name':null}", "name: must not be null"),
        arguments(key, "{'name':'CRM','name':'CRM'}", "name: is given twice"),
        arguments(key, "", "the body is empty"));
  }

  private static Intake<NameBody.NamedMember> member(String body) {
    return NameBody.member(json(body), ID);
  }

  private static Intake<NameBody.NamedDevice> device(String body) {
    return NameBody.device(json(body), ID);
  }

  private static Intake<NameBody.Speaker> speaker(String body) {
    return NameBody.speaker(json(body));
  }

  private static Intake<?> key(String body) {
    return KeyBody.read(GivenBody.of(json(body)));
  }

  private static Buffer json(String body) {
    return Buffer.buffer(
        body.replace('\'', '"').replace("\"W\"", '"' + WORKSPACE.toString() + '"'));
  }
}
