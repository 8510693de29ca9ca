package io.egress.api.intake;

import static io.egress.api.intake.Bodies.capture;
import static io.egress.api.intake.Bodies.device;
import static io.egress.api.intake.Bodies.fault;
import static io.egress.api.intake.Bodies.participant;
import static io.egress.api.intake.Bodies.refused;
import static io.egress.api.intake.Bodies.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.intake.BodyFaults.Fault;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CaptureFaultsTest {
  private static final String NOT_NUL = "must not contain the character U+0000";
  private static final String NO_INSTANT = "must be an instant such as 2026-01-31T09:30:00Z, not ";
  private static final long MS_MAX = 9_007_199_254_740_991L;
  private static final String MS_RANGE = "must be an integer from 0 to 9007199254740991, not ";

  @ParameterizedTest
  @MethodSource
  void reportsTheFieldAndTheFaultOnly(String field, Bodies.Change change, String problem) {
    JsonObject body = capture();
    change.accept(body);

    assertThat(refused(body).kept()).containsExactly(new Fault(field, problem));
  }

  static Stream<Arguments> reportsTheFieldAndTheFaultOnly() {
    return Stream.of(
        fault(
            "mode", b -> b.put("mode", "auto"), "must be \"ambient\" or \"manual\", not \"auto\""),
        fault(
            "mode",
            b -> b.put("mode", "Manual"),
            "must be \"ambient\" or \"manual\", not \"Manual\""),
        fault("mode", b -> b.put("mode", ""), "must not be blank"),
        fault("mode", b -> b.remove("mode"), "is required"),
        fault("mode", b -> b.put("mode", 3), "must be a string, not a number"),
        fault("workspace_id", b -> b.remove("workspace_id"), "is required"),
        fault("workspace_id", b -> b.putNull("workspace_id"), "must not be null"),
        fault(
            "workspace_id",
            b -> b.put("workspace_id", "1-1-1-1-1"),
            "must be a UUID, not \"1-1-1-1-1\""),
        fault(
            "workspace_id",
            b -> b.put("workspace_id", new JsonArray()),
            "must be a string, not an array"),
        fault(
            "id",
            b -> b.put("id", UUID.randomUUID().toString()),
            "must be the id in the path, or be left out"),
        fault("id", b -> b.put("id", "x"), "must be a UUID, not \"x\""),
        fault("title", b -> b.put("title", false), "must be a string, not a boolean"),
        fault(
            "title",
            b -> b.put("title", "x".repeat(1_001)),
            "must have at most 1000 characters, not 1001"),
        fault("title", b -> b.put("title", "a\0"), NOT_NUL),
        fault(
            "title",
            b -> b.put("title", "\uD800"),
            "must not contain an unpaired surrogate (U+D800)"),
        fault(
            "summary",
            b -> b.put("summary", "\uDE00\uD83D"),
            "must not contain an unpaired surrogate (U+DE00)"),
        fault(
            "summary",
            b -> b.put("summary", "x".repeat(100_001)),
            "must have at most 100000 characters, not 100001"),
        fault("started_at", b -> b.remove("started_at"), "is required"),
        fault("started_at", b -> b.put("started_at", 17), "must be a string, not a number"),
        fault("started_at", b -> b.put("started_at", "now"), NO_INSTANT + "\"now\""),
        fault(
            "ended_at",
            b -> b.put("ended_at", "2026-02-30T00:00:00Z"),
            NO_INSTANT + "\"2026-02-30T00:00:00Z\""),
        fault("duration_ms", b -> b.put("duration_ms", -1), "must not be negative, it is -1"),
        fault("duration_ms", b -> b.put("duration_ms", 1.5), "must be an integer, not 1.5"),
        fault("duration_ms", b -> b.put("duration_ms", "9"), "must be an integer, not a string"),
        fault("duration_ms", b -> b.put("duration_ms", MS_MAX + 1), MS_RANGE + (MS_MAX + 1)),
        fault(
            "duration_ms",
            b -> b.put("duration_ms", BigInteger.TEN.pow(99)),
            MS_RANGE + "1" + "0".repeat(59) + "..."),
        fault("device", b -> b.putNull("device"), "must not be null"),
        fault("device", b -> b.put("device", "kitchen"), "must be an object, not a string"),
        fault("device.id", b -> device(b).remove("id"), "is required"),
        fault("device.name", b -> device(b).put("name", " "), "must not be blank"),
        fault(
            "device.name",
            b -> device(b).put("name", "x".repeat(321)),
            "must have at most 320 characters, not 321"),
        fault("participants", b -> b.remove("participants"), "is required"),
        fault(
            "participants",
            b -> b.put("participants", new JsonObject()),
            "must be an array, not an object"),
        fault("segments", b -> b.remove("segments"), "is required"),
        fault("segments", b -> b.put("segments", "none"), "must be an array, not a string"));
  }

  @Test
  void countsCodePoints() {
    String smiles = "\uD83D\uDE00".repeat(1_000);

    assertThat(CaptureBody.read(capture().put("title", smiles).toBuffer(), Bodies.ID))
        .isInstanceOf(Intake.Accepted.class);
    assertThat(refused(capture().put("title", smiles + "!")).summary())
        .isEqualTo("title: must have at most 1000 characters, not 1001");
  }

  @Test
  void reportsAllFaultsAtOnceHeadFirst() {
    JsonObject body = capture().put("mode", "auto").put("duration_ms", -1);
    participant(body).put("match_confidence", 7).putNull("speech_ms");
    segment(body).put("speaker", "S9").put("start_ms", "0");

    assertThat(refused(body).summary())
        .isEqualTo(
            "mode: must be \"ambient\" or \"manual\", not \"auto\"; "
                + "duration_ms: must not be negative, it is -1; "
                + "participants[0].match_confidence: must be from 0 to 1, not 7; "
                + "participants[0].speech_ms: must not be null; "
                + "segments[0].start_ms: must be an integer, not a string; "
                + "segments[0].speaker: no participant has the label \"S9\"");
  }

  @Test
  void reportsEveryFieldMissingFromAnEmptyObject() {
    assertThat(refused("{}").kept())
        .extracting(Fault::field)
        .containsExactly(
            "workspace_id", "mode", "started_at", "device", "participants", "segments");
  }

  @Test
  void listsTwentyFaultsHeadFirstAndCountsTheRest() {
    JsonArray segments = new JsonArray();
    for (int i = 0; i < 56; i++) {
      segments.add(segment(-1, 5, "x"));
    }
    BodyFaults faults = refused(capture().put("segments", segments).put("mode", 1));

    assertThat(faults.kept()).hasSize(20);
    assertThat(faults.summary())
        .startsWith("mode: must be a string, not a number; segments[0].start_ms: must not")
        .endsWith("; segments[18].start_ms: must not be negative, it is -1; and 37 more");
  }

  @Test
  void quotesValuesShortenedAndPrintable() {
    JsonObject body = capture().put("mode", "\"\\\n\u202E\uD83D\uDE00é\uE000" + "x".repeat(999));

    assertThat(refused(body).summary())
        .isEqualTo(
            "mode: must be \"ambient\" or \"manual\", not "
                + "\"\\\"\\\\\\u{a}\\u{202e}\uD83D\uDE00é\\u{e000}"
                + "x".repeat(53)
                + "...\"");
  }
}
