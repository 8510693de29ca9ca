package io.egress.api.intake;

import static io.egress.api.intake.Bodies.capture;
import static io.egress.api.intake.Bodies.fault;
import static io.egress.api.intake.Bodies.member;
import static io.egress.api.intake.Bodies.participant;
import static io.egress.api.intake.Bodies.refused;
import static io.egress.api.intake.Bodies.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.intake.BodyFaults.Fault;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ElementFaultsTest {
  private static final String NOT_NUL = "must not contain the character U+0000";

  @ParameterizedTest
  @MethodSource({"faultsOfParticipants", "faultsOfSegments"})
  void reportsTheFieldAndTheFaultOnly(String field, Bodies.Change change, String problem) {
    JsonObject body = capture();
    change.accept(body);

    assertThat(refused(body).kept()).containsExactly(new Fault(field, problem));
  }

  static Stream<Arguments> faultsOfParticipants() {
    return Stream.of(
        fault(
            "participants[2]",
            b -> b.getJsonArray("participants").add(5),
            "must be an object, not a number"),
        fault(
            "participants[2]",
            b -> b.getJsonArray("participants").addNull(),
            "must be an object, not null"),
        fault("participants[2].label", b -> add(b, "S1"), "stands twice: \"S1\""),
        fault("participants[2].label", b -> add(b, ""), "must not be blank"),
        fault("participants[2].label", b -> add(b, null), "must not be null"),
        fault(
            "participants[2].label",
            b -> add(b, "x".repeat(201)),
            "must have at most 200 characters, not 201"),
        fault(
            "participants[0].speech_ms",
            b -> participant(b).put("speech_ms", -5),
            "must not be negative, it is -5"),
        fault("participants[0].speech_ms", b -> participant(b).remove("speech_ms"), "is required"),
        fault(
            "participants[0].match_confidence",
            b -> confidence(b, 1.01),
            "must be from 0 to 1, not 1.01"),
        fault(
            "participants[0].match_confidence",
            b -> confidence(b, -0.1),
            "must be from 0 to 1, not -0.1"),
        fault(
            "participants[0].match_confidence",
            b -> confidence(b, 2),
            "must be from 0 to 1, not 2"),
        fault(
            "participants[0].match_confidence",
            b -> confidence(b, "x"),
            "must be a number, not a string"),
        fault(
            "participants[0].match_confidence",
            b -> participant(b).putNull("member"),
            "must be null without a member"),
        fault(
            "participants[0].member",
            b -> participant(b).put("member", "Ada"),
            "must be an object, not a string"),
        fault(
            "participants[0].member",
            b -> participant(b).put("member", new JsonArray()),
            "must be an object, not an array"),
        fault(
            "participants[0].member.id",
            b -> member(b).put("id", "me"),
            "must be a UUID, not \"me\""),
        fault("participants[0].member.id", b -> member(b).remove("id"), "is required"),
        fault("participants[0].member.name", b -> member(b).put("name", " "), "must not be blank"),
        fault("participants[0].member.name", b -> member(b).put("name", "\0"), NOT_NUL),
        fault(
            "participants[0].member.email",
            b -> member(b).put("email", 1),
            "must be a string, not a number"),
        fault(
            "participants[0].member.email",
            b -> member(b).put("email", "x".repeat(321)),
            "must have at most 320 characters, not 321"));
  }

  static Stream<Arguments> faultsOfSegments() {
    return Stream.of(
        fault(
            "segments[2]",
            b -> b.getJsonArray("segments").add("x"),
            "must be an object, not a string"),
        fault(
            "segments[0].speaker",
            b -> segment(b).put("speaker", "S9"),
            "no participant has the label \"S9\""),
        fault(
            "segments[0].speaker",
            b -> segment(b).put("speaker", ""),
            "no participant has the label \"\""),
        fault(
            "segments[0].speaker",
            b -> segment(b).put("speaker", 1),
            "must be a string, not a number"),
        fault(
            "segments[0].speaker",
            b -> segment(b).put("speaker", "x".repeat(201)),
            "must have at most 200 characters, not 201"),
        fault(
            "segments[0].start_ms",
            b -> segment(b).put("start_ms", -1),
            "must not be negative, it is -1"),
        fault(
            "segments[0].start_ms",
            b -> segment(b).put("start_ms", 0.5),
            "must be an integer, not 0.5"),
        fault("segments[0].start_ms", b -> segment(b).remove("start_ms"), "is required"),
        fault(
            "segments[0].end_ms",
            b -> segment(b).put("end_ms", 999),
            "must not be before start_ms"),
        fault(
            "segments[0].end_ms",
            b -> segment(b).put("end_ms", -1),
            "must not be negative, it is -1"),
        fault(
            "segments[0].end_ms",
            b -> segment(b).put("end_ms", "2000"),
            "must be an integer, not a string"),
        fault("segments[0].end_ms", b -> segment(b).remove("end_ms"), "is required"),
        fault("segments[0].text", b -> segment(b).remove("text"), "is required"),
        fault("segments[0].text", b -> segment(b).putNull("text"), "must not be null"),
        fault(
            "segments[0].text",
            b -> segment(b).put("text", new JsonObject()),
            "must be a string, not an object"),
        fault("segments[0].text", b -> segment(b).put("text", "a\0b"), NOT_NUL),
        fault(
            "segments[0].text",
            b -> segment(b).put("text", "a\uD83D"),
            "must not contain an unpaired surrogate (U+D83D)"));
  }

  private static void add(JsonObject body, @Nullable String label) {
    body.getJsonArray("participants").add(new JsonObject().put("label", label).put("speech_ms", 1));
  }

  private static void confidence(JsonObject body, Object confidence) {
    participant(body).put("match_confidence", confidence);
  }
}
