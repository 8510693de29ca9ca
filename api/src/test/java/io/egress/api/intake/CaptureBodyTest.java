package io.egress.api.intake;

import static io.egress.api.intake.Bodies.ID;
import static io.egress.api.intake.Bodies.accepted;
import static io.egress.api.intake.Bodies.participant;
import static io.egress.api.intake.Bodies.refused;
import static io.egress.api.intake.Bodies.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureBodyTest {
  @Test
  void acceptsACompleteBody() {
    Member ada = new Member(ID, "Ada", "ada@example.com");

    assertThat(read(Bodies.capture()))
        .isEqualTo(
            new Capture(
                ID,
                ID,
                Mode.AMBIENT,
                "Title",
                null,
                Instant.parse("2026-01-31T08:30:00.123Z"),
                Instant.parse("2026-01-31T09:00:00Z"),
                1_800_000L,
                new Device(ID, "Kitchen"),
                List.of(new Participant("S1", ada, 0.9, 10), new Participant("S2", null, null, 0)),
                List.of(new Segment(0, 900, "S1", "a"), new Segment(1_000, 2_000, "S2", "b"))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"title", "summary", "ended_at", "duration_ms"})
  void acceptsNullAndAbsenceOfOptionalFields(String field) {
    JsonObject left = Bodies.capture();
    left.remove(field);

    assertThat(read(left)).isEqualTo(read(Bodies.capture().putNull(field)));
  }

  /** A device's clock may be set back meanwhile, and the conversation is no less one for that. */
  @Test
  void acceptsAnEndBeforeTheStart() {
    Capture capture = read(Bodies.capture().put("ended_at", "2026-01-31T08:29:59Z"));

    assertThat(capture.endedAt()).isBefore(capture.startedAt());
  }

  @Test
  void acceptsTheMinimalBody() {
    String body =
        """
        {"segments":[],"participants":[],"device":{"id":"%s"},"mode":"manual",
         "started_at":"2026-01-31T09:30:00Z","workspace_id":"%s"}\
        """
            .formatted(ID, ID);

    Capture capture = accepted(CaptureBody.read(Buffer.buffer(body), ID));

    assertThat(capture.mode()).isEqualTo(Mode.MANUAL);
    assertThat(capture.device()).isEqualTo(new Device(ID, null));
    assertThat(capture.segments()).isEmpty();
  }

  @Test
  void acceptsTypicalSpeechRecognitionOutput() {
    JsonObject body = Bodies.capture();
    participant(body).put("match_confidence", 1).getJsonObject("member").putNull("name");
    participant(body).getJsonObject("member").remove("email");
    segment(body).put("text", "").putNull("speaker").put("start_ms", 7).put("end_ms", 7);
    body.getJsonArray("segments").getJsonObject(1).put("text", "\uD83D\uDE00\u0001\u202E");

    Capture capture = read(body);

    assertThat(capture.participants().get(0).member()).isEqualTo(new Member(ID, null, null));
    assertThat(capture.participants().get(0).matchConfidence()).isEqualTo(1);
    assertThat(capture.segments())
        .containsExactly(
            new Segment(0, 900, "S1", "\uD83D\uDE00\u0001\u202E"), new Segment(7, 7, null, ""));
  }

  @Test
  void sortsSegmentsByTimeStably() {
    JsonArray segments =
        new JsonArray()
            .add(segment(5, 6, "late"))
            .add(segment(0, 9, "first"))
            .add(segment(0, 1, "second"));

    assertThat(read(Bodies.capture().put("segments", segments)).segments())
        .extracting(Segment::text)
        .containsExactly("first", "second", "late");
  }

  @Test
  void findsSpeakersInParticipantsThatFollow() {
    JsonObject body = Bodies.capture();
    JsonObject participantsLast = body.copy();
    participantsLast.put("participants", participantsLast.remove("participants"));
    JsonObject strange = participantsLast.copy();
    segment(strange).put("speaker", "S9");

    assertThat(participantsLast.encode().indexOf("segments"))
        .isLessThan(participantsLast.encode().indexOf("participants"));
    assertThat(read(participantsLast)).isEqualTo(read(body));
    assertThat(refused(strange).summary())
        .isEqualTo("segments[0].speaker: no participant has the label \"S9\"");
  }

  @Test
  void ignoresFieldsItDoesNotKnow() {
    JsonObject body = Bodies.capture().put("id_", 1).put("extra", new JsonArray().add("deep"));
    participant(body).put("nickname", new JsonObject().put("label", "S9"));
    segment(body).put("words", new JsonArray().add(new JsonObject().put("text", 1)));

    assertThat(read(body)).isEqualTo(read(Bodies.capture()));
  }

  @Test
  void ignoresAByteOrderMark() {
    Buffer body = Buffer.buffer("\uFEFF").appendBuffer(Bodies.capture().toBuffer());

    assertThat(accepted(CaptureBody.read(body, ID))).isEqualTo(read(Bodies.capture()));
  }

  @Test
  void readsTheIdOnlyFromThePathOrTheLine() {
    JsonObject body = Bodies.capture();
    Buffer withId = body.copy().put("id", ID.toString().toUpperCase(Locale.ROOT)).toBuffer();

    assertThat(accepted(CaptureBody.read(withId, ID)).id()).isEqualTo(ID);
    assertThat(accepted(CaptureBody.readLine(withId)).id()).isEqualTo(ID);
    assertThat(refused(CaptureBody.read(withId, UUID.randomUUID())).summary())
        .isEqualTo("id: must be the id in the path, or be left out");
    assertThat(refused(CaptureBody.readLine(body.toBuffer())).summary())
        .isEqualTo("id: is required");
    assertThat(refused(CaptureBody.readLine(body.put("id", "7").toBuffer())).summary())
        .isEqualTo("id: must be a UUID, not \"7\"");
  }

  private static Capture read(JsonObject body) {
    return accepted(CaptureBody.read(body.toBuffer(), ID));
  }
}
