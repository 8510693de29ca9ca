package io.egress.transcript.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TranscriptRendererTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String EMITTED = "2026-11-21T12:00:00.000Z";

  @Test
  void rendersEveryFieldInTheOrderOfTheSpecification() {
    UUID id = UUID.fromString("11111111-1111-4111-8111-111111111111");
    UUID workspace = UUID.fromString("22222222-2222-4222-8222-222222222222");
    UUID device = UUID.fromString("33333333-3333-4333-8333-333333333333");
    Member ada = new Member(new UUID(0, 1), "Ada \"A\" Fischer", "ada@example.com");
    Capture capture =
        new Capture(
            id,
            workspace,
            Mode.MANUAL,
            "Planning",
            null,
            Instant.parse("2026-01-02T03:04:05.678901Z"),
            null,
            null,
            new Device(device, null),
            List.of(new Participant("S1", ada, 0.93, 1500), new Participant("S2", null, null, 0)),
            List.of(
                new Segment(0, 10, "S1", "Hello\nthere. "),
                new Segment(10, 20, "S1", "Again."),
                new Segment(20, 30, null, "noise"),
                new Segment(30, 40, "S2", "Grüße 😀")));

    assertThat(document(capture))
        .isEqualTo(
            """
            {"id":"11111111-1111-4111-8111-111111111111",\
            "workspace_id":"22222222-2222-4222-8222-222222222222","mode":"manual","title":"Planning",\
            "summary":null,"started_at":"2026-01-02T03:04:05.678Z","ended_at":null,"duration_ms":null,\
            "device":{"id":"33333333-3333-4333-8333-333333333333","name":null},\
            "participants":[{"label":"S1","name":"Ada \\"A\\" Fischer","email":"ada@example.com",\
            "matched":true,"match_confidence":0.93,"speech_ms":1500},\
            {"label":"S2","name":null,"email":null,"matched":false,"match_confidence":null,"speech_ms":0}],\
            "segments":[{"start_ms":0,"end_ms":10,"speaker":"Ada \\"A\\" Fischer","text":"Hello\\nthere. "},\
            {"start_ms":10,"end_ms":20,"speaker":"Ada \\"A\\" Fischer","text":"Again."},\
            {"start_ms":20,"end_ms":30,"speaker":null,"text":"noise"},\
            {"start_ms":30,"end_ms":40,"speaker":"S2","text":"Grüße 😀"}],\
            "transcript_text":"Ada \\"A\\" Fischer: Hello there. Again.\\nUnknown speaker: noise\\nS2: Grüße 😀",\
            "calendar_event":null,"emitted_at":"2026-11-21T12:00:00.000Z"}\
            """);
  }

  /** Stored documents are rendered again only if the version is higher. */
  @Test
  void otherBytesNeedAHigherVersion() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      digest.update(new TranscriptRenderer().render(Captures.random(random)));
    }

    assertThat(TranscriptRenderer.VERSION + " " + HexFormat.of().formatHex(digest.digest()))
        .as("after a change of the bytes, raise VERSION and take the new hash")
        .isEqualTo("1 b954b0db4c93c41b19be94fdad1e6fd719ef00fd40b01a9fb73c7fa45acfe994");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "  ", "\n"})
  void fallsBackToAGenericTitle(String title) throws Exception {
    Capture capture =
        new Capture(
            new UUID(0, 1),
            new UUID(0, 2),
            Mode.AMBIENT,
            title,
            null,
            Instant.EPOCH,
            null,
            null,
            new Device(new UUID(0, 3), null),
            List.of(),
            List.of());

    assertThat(JSON.readTree(document(capture)).path("title").textValue())
        .isEqualTo("Untitled conversation");
  }

  @Test
  void agreesWithAPlainReferenceOnRandomCaptures() throws Exception {
    for (long seed = 0; seed < 2_000; seed++) {
      Capture capture = Captures.random(new Random(seed));
      assertThat(JSON.readTree(document(capture)))
          .as("seed %d", seed)
          .isEqualTo(reference(capture));
    }
  }

  private static String document(Capture capture) {
    return new String(new TranscriptRenderer().render(capture), StandardCharsets.UTF_8)
        + EMITTED
        + DocumentRenderer.TAIL;
  }

  private static JsonNode reference(Capture capture) throws Exception {
    ObjectNode document = JSON.createObjectNode();
    document.put("id", capture.id().toString());
    document.put("workspace_id", capture.workspaceId().toString());
    document.put("mode", capture.mode() == Mode.AMBIENT ? "ambient" : "manual");
    boolean untitled = capture.title() == null || capture.title().isBlank();
    document.put("title", untitled ? "Untitled conversation" : capture.title());
    document.put("summary", capture.summary());
    document.put("started_at", time(capture.startedAt()));
    document.put("ended_at", capture.endedAt() == null ? null : time(capture.endedAt()));
    document.put("duration_ms", capture.durationMs());
    document
        .putObject("device")
        .put("id", capture.device().id().toString())
        .put("name", capture.device().name());
    ArrayNode participants = document.putArray("participants");
    for (Participant participant : capture.participants()) {
      Member member = participant.member();
      participants
          .addObject()
          .put("label", participant.label())
          .put("name", member == null ? null : member.name())
          .put("email", member == null ? null : member.email())
          .put("matched", member != null)
          .put("match_confidence", participant.matchConfidence())
          .put("speech_ms", participant.speechMs());
    }
    List<@Nullable String> speakers = new ArrayList<>();
    ArrayNode segments = document.putArray("segments");
    for (Segment segment : capture.segments()) {
      speakers.add(speaker(capture, segment.speaker()));
      segments
          .addObject()
          .put("start_ms", segment.startMs())
          .put("end_ms", segment.endMs())
          .put("speaker", speakers.get(speakers.size() - 1))
          .put("text", segment.text());
    }
    document.put("transcript_text", text(capture.segments(), speakers));
    document.putNull("calendar_event");
    document.put("emitted_at", EMITTED);
    return JSON.readTree(JSON.writeValueAsBytes(document));
  }

  private static @Nullable String speaker(Capture capture, @Nullable String label) {
    for (Participant participant : capture.participants()) {
      if (participant.label().equals(label)) {
        Member member = participant.member();
        return member != null && member.name() != null ? member.name() : label;
      }
    }
    return label;
  }

  private static String text(List<Segment> segments, List<@Nullable String> speakers) {
    List<String> lines = new ArrayList<>();
    int i = 0;
    while (i < segments.size()) {
      String speaker = speakers.get(i);
      List<String> words = new ArrayList<>();
      words.add((speaker == null ? "Unknown speaker" : speaker) + ":");
      while (i < segments.size() && Objects.equals(speakers.get(i), speaker)) {
        String said = segments.get(i).text().strip();
        if (!said.isEmpty()) {
          words.add(said);
        }
        i++;
      }
      lines.add(String.join(" ", words).replaceAll("[\n\u000B\f\r\u0085\u2028\u2029]", " "));
    }
    return String.join("\n", lines);
  }

  private static String time(Instant instant) {
    return DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
        .withZone(ZoneOffset.UTC)
        .format(instant);
  }
}
