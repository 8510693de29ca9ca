package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.egress.capture.Capture;
import io.egress.capture.Segment;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureBodyTest {
  private static final UUID ID = UUID.fromString("7c9e6679-7425-40de-944b-e07fc1f90ae7");

  @Test
  void takesACompleteBody() {
    Capture capture = accepted(valid().toBuffer());

    assertThat(capture.id()).isEqualTo(ID);
    assertThat(capture.startedAt()).isEqualTo(Instant.parse("2026-01-31T08:30:00.123Z"));
    assertThat(capture.participants()).hasSize(2);
    assertThat(capture.segments()).extracting(Segment::startMs).containsExactly(0L, 1_000L);
  }

  @Test
  void sortsSegmentsByTimeAndKeepsTheOrderOfEqualOnes() {
    JsonObject body = valid();
    body.put(
        "segments",
        new JsonArray()
            .add(segment(5, 6, "late"))
            .add(segment(0, 9, "first"))
            .add(segment(0, 1, "second")));

    assertThat(accepted(body.toBuffer()).segments())
        .extracting(Segment::text)
        .containsExactly("first", "second", "late");
  }

  @Test
  void takesSegmentsBeforeParticipantsAndIgnoresWhatItDoesNotKnow() {
    String body =
        """
        {"segments":[{"start_ms":0,"end_ms":1,"speaker":"S1","text":""}],"extra":{"deep":[1,{}]},
         "participants":[{"label":"S1","speech_ms":1}],"device":{"id":"%s"},"mode":"manual",
         "started_at":"2026-01-31T09:30:00+01:00","workspace_id":"%s"}"""
            .formatted(ID, ID);

    assertThat(accepted(Buffer.buffer(body)).startedAt())
        .isEqualTo(Instant.parse("2026-01-31T08:30:00Z"));
  }

  @ParameterizedTest
  @MethodSource
  void namesTheFieldAndWhatIsWrong(Consumer<JsonObject> change, String fault) {
    JsonObject body = valid();
    change.accept(body);

    assertThat(refused(body.toBuffer()).told()).contains(fault);
  }

  static Stream<Arguments> namesTheFieldAndWhatIsWrong() {
    return Stream.of(
        fault(b -> b.put("mode", "auto"), "mode: must be \"ambient\" or \"manual\", not \"auto\""),
        fault(b -> b.remove("mode"), "mode: is required"),
        fault(b -> b.put("mode", 3), "mode: must be a string, not a number"),
        fault(b -> b.put("workspace_id", "1-1-1-1-1"), "workspace_id: must be a UUID"),
        fault(b -> b.remove("workspace_id"), "workspace_id: is required"),
        fault(b -> b.put("id", UUID.randomUUID().toString()), "id: must be the id in the path"),
        fault(b -> b.put("started_at", "yesterday"), "started_at: must be an instant"),
        fault(b -> b.put("started_at", "2026-02-30T00:00:00Z"), "started_at: must be an instant"),
        fault(b -> b.put("started_at", "+12026-01-01T00:00:00Z"), "started_at: must be an instant"),
        fault(b -> b.put("started_at", 17), "started_at: must be a string, not a number"),
        fault(b -> b.put("ended_at", "2020-01-01T00:00:00Z"), "ended_at: must not be before"),
        fault(b -> b.put("duration_ms", -1), "duration_ms: must not be negative"),
        fault(b -> b.put("duration_ms", 1.5), "duration_ms: must be an integer, not 1.5"),
        fault(b -> b.put("duration_ms", "9"), "duration_ms: must be an integer, not a string"),
        fault(b -> b.put("duration_ms", Long.MAX_VALUE), "duration_ms: must be an integer from 0"),
        fault(b -> b.putNull("device"), "device: is required"),
        fault(b -> b.put("device", "kitchen"), "device: must be an object, not a string"),
        fault(b -> b.getJsonObject("device").remove("id"), "device.id: is required"),
        fault(b -> b.getJsonObject("device").put("name", " "), "device.name: must not be blank"),
        fault(b -> b.remove("participants"), "participants: is required"),
        fault(b -> b.put("segments", "none"), "segments: must be an array, not a string"),
        fault(b -> participant(b).put("label", ""), "participants[0].label: must not be blank"),
        fault(b -> participant(b).put("label", "S2"), "participants[1].label: stands twice"),
        fault(b -> participant(b).put("speech_ms", -5), "participants[0].speech_ms: must not be"),
        fault(
            b -> participant(b).put("match_confidence", 1.01),
            "[0].match_confidence: must be from"),
        fault(b -> participant(b).put("match_confidence", "x"), "[0].match_confidence: must be a"),
        fault(
            b -> participant(b).putNull("member"),
            "participants[0].match_confidence: must be null"),
        fault(
            b -> participant(b).getJsonObject("member").put("id", "me"),
            "participants[0].member.id: must be a UUID, not \"me\""),
        fault(b -> segment(b).put("speaker", "S9"), "no participant has the label \"S9\""),
        fault(b -> segment(b).put("end_ms", 1), "segments[0].end_ms: must not be before start_ms"),
        fault(b -> segment(b).put("start_ms", -1), "segments[0].start_ms: must not be negative"),
        fault(b -> segment(b).remove("text"), "segments[0].text: is required"),
        fault(b -> segment(b).put("text", 7), "segments[0].text: must be a string"),
        fault(b -> segment(b).put("text", "a\u0000b"), "segments[0].text: must not contain the"),
        fault(
            b -> b.put("title", "\uD800"),
            "title: must not contain an unpaired surrogate (U+D800)"),
        fault(b -> b.put("title", "x".repeat(1_001)), "title: must have at most 1000 characters"),
        fault(
            b -> b.getJsonArray("segments").add(5),
            "segments[2]: must be an object, not a number"));
  }

  @Test
  void namesAllFaultsOfABodyAtOnce() {
    JsonObject body = valid().put("mode", "auto").put("duration_ms", -1);
    participant(body).put("match_confidence", 7);
    segment(body).put("speaker", "S9");

    assertThat(refused(body.toBuffer()).kept())
        .extracting(Fault::field)
        .containsExactlyInAnyOrder(
            "mode", "duration_ms", "participants[0].match_confidence", "segments[0].speaker");
  }

  @Test
  void spellsOutTwentyFaultsAndCountsTheRest() {
    JsonArray segments = new JsonArray();
    for (int i = 0; i < 57; i++) {
      segments.add(segment(-1, 5, "x"));
    }
    assertThat(refused(valid().put("segments", segments).toBuffer()).told())
        .endsWith("; and 37 more");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "\"text\"",
        "{",
        "{\"mode\"",
        "{\"mode\":}",
        "{\"mode\":\"manual\"} x",
        "{\"mode\":\"a\",\"mode\":\"b\"}",
        "{\"mode\":NaN}",
        "{'mode':1}",
        "{\"segments\":[{]}"
      })
  void refusesWhatIsNotOneJsonObject(String body) {
    assertThat(refused(Buffer.buffer(body)).kept()).hasSize(1);
  }

  @Test
  void refusesBytesThatAreNotUtf8() {
    Buffer body = valid().put("title", "title here").toBuffer();
    int at = body.toString().indexOf("title here");
    body.setByte(at, (byte) 0xff);

    assertThat(refused(body).told()).contains("not JSON");
  }

  @Test
  void refusesDeepNesting() {
    String body = "{\"device\":" + "[".repeat(5_000) + "]".repeat(5_000) + "}";
    assertThat(refused(Buffer.buffer(body)).told()).contains("not JSON");
  }

  @Test
  void neverThrowsWhateverTheBytes() {
    byte[] original = valid().toBuffer().getBytes();
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] mutated = original.clone();
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
      }
      assertThat(CaptureBody.read(Buffer.buffer(mutated), ID)).as("seed %d", seed).isNotNull();
    }
  }

  private static Capture accepted(Buffer body) {
    Intake<Capture> intake = CaptureBody.read(body, ID);
    assertThat(intake).isInstanceOf(Intake.Accepted.class);
    return ((Intake.Accepted<Capture>) intake).value();
  }

  private static Faults refused(Buffer body) {
    Intake<Capture> intake = CaptureBody.read(body, ID);
    assertThat(intake).isInstanceOf(Intake.Refused.class);
    return ((Intake.Refused<Capture>) intake).faults();
  }

  private static Arguments fault(Consumer<JsonObject> change, String fault) {
    return arguments(change, fault);
  }

  private static JsonObject participant(JsonObject body) {
    return body.getJsonArray("participants").getJsonObject(0);
  }

  private static JsonObject segment(JsonObject body) {
    return body.getJsonArray("segments").getJsonObject(0);
  }

  private static JsonObject segment(long start, long end, String text) {
    return new JsonObject().put("start_ms", start).put("end_ms", end).put("text", text);
  }

  private static JsonObject valid() {
    JsonObject member =
        new JsonObject().put("id", ID.toString()).put("name", "Ada").put("email", "a@example.com");
    return new JsonObject()
        .put("workspace_id", ID.toString())
        .put("mode", "ambient")
        .put("title", "Title")
        .putNull("summary")
        .put("started_at", "2026-01-31T09:30:00.123456+01:00")
        .put("ended_at", "2026-01-31T09:00:00Z")
        .put("duration_ms", 1_800_000)
        .put("device", new JsonObject().put("id", ID.toString()).put("name", "Kitchen"))
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("member", member)
                        .put("match_confidence", 0.9)
                        .put("speech_ms", 10))
                .add(new JsonObject().put("label", "S2").putNull("member").put("speech_ms", 0)))
        .put(
            "segments",
            new JsonArray()
                .add(segment(1_000, 2_000, "b").put("speaker", "S2"))
                .add(segment(0, 900, "a").put("speaker", "S1")));
  }
}
