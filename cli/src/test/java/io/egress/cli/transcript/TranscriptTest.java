package io.egress.cli.transcript;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples of the formats, made by hand after their descriptions. */
class TranscriptTest {
  /** As Teams writes them: a voice in each cue, and an id before the times. */
  private static final String TEAMS =
      """
      WEBVTT

      0a6f1f4e-1/7-0
      00:00:03.120 --> 00:00:05.500
      <v Ada Lovelace>Good morning &amp; welcome,
      everybody.</v>

      NOTE
      a comment
      of two lines

      0a6f1f4e-1/9-0
      00:00:05.500 --> 00:00:09.000
      <v.loud Grace Hopper>Shall we <i>start</i>?</v>
      <v Ada Lovelace>Yes.</v>
      """;

  /** As Zoom writes them: the name before a colon. */
  private static final String ZOOM =
      """
      WEBVTT

      1
      00:00:01.000 --> 00:00:04.250
      Ada Lovelace: Good morning: welcome.

      2
      00:00:04.250 --> 00:01:02.000
      Grace Hopper: Thanks.

      3
      01:00:00.000 --> 01:00:01.000
      (laughter)
      """;

  private static final String SUB_RIP =
      """
      1
      00:00:01,000 --> 00:00:04,250
      Note: the meeting is recorded.

      2
      00:00:04,250 --> 00:00:06,000
      {\\an8}<font color="red">Thanks,</font>
      everybody.

      3
      00:00:07,5 --> 00:00:08,000
      And it begins.
      """;

  private static final String DEEPGRAM =
      """
      {"metadata": {"request_id": "a", "created": "2026-01-31T09:30:00.000Z", "duration": 12.25, "channels": 1},
       "results": {"channels": [{"alternatives": [{"transcript": "good morning", "confidence": 0.99, "words": []}]}],
        "utterances": [
         {"start": 0.48, "end": 1.5, "confidence": 0.99, "channel": 0, "transcript": "Good morning.", "speaker": 0},
         {"start": 2, "end": 3.75, "confidence": 0.98, "channel": 0, "transcript": "Hello.", "speaker": 1}]}}
      """;

  private static final String DEEPGRAM_WORDS =
      """
      {"metadata": {"duration": 9}, "results": {"channels": [{"alternatives": [{"words": [
       {"word": "good", "start": 0.5, "end": 0.75, "speaker": 0, "punctuated_word": "Good"},
       {"word": "morning", "start": 0.75, "end": 1.25, "speaker": 0, "punctuated_word": "morning."},
       {"word": "hello", "start": 1.5, "end": 2, "speaker": 1, "punctuated_word": "Hello."},
       {"word": "well", "start": 4, "end": 5, "speaker": 1}]}]}]}}
      """;

  private static final String ASSEMBLY_AI =
      """
      {"id": "a", "status": "completed", "audio_duration": 150, "text": "Hi, I'm Joy. Hi.", "utterances": [
       {"speaker": "A", "confidence": 0.97, "start": 0, "end": 1380, "text": "Hi, I'm Joy.", "words": []},
       {"speaker": "B", "confidence": 0.97, "start": 1400, "end": 2100, "text": "Hi.", "words": []}]}
      """;

  private static final String WHISPER_X =
      """
      {"segments": [
       {"start": 0.031, "end": 4.2, "text": " Good morning.", "speaker": "SPEAKER_00", "words": [{"word": "Good"}]},
       {"start": 4.2, "end": 6.0, "text": " Hello.", "speaker": "SPEAKER_01", "words": []},
       {"start": "soon", "end": 7.0, "text": " Lost."},
       {"start": 7.0, "end": 8.0, "text": " Unknown."}], "language": "en"}
      """;

  private static final String RECALL =
      """
      [{"participant": {"id": 100, "name": "Ada Lovelace", "is_host": true, "platform": "zoom"}, "words": [
        {"text": "Good", "start_timestamp": {"relative": 10.5, "absolute": "2026-01-31T09:30:10.500+00:00"},
         "end_timestamp": {"relative": 11, "absolute": "2026-01-31T09:30:11Z"}},
        {"text": "morning.", "start_timestamp": {"relative": 11}, "end_timestamp": {"relative": 11.75}}]},
       {"speaker": "Grace Hopper", "words": [{"text": "Hello.", "start_timestamp": 12.0, "end_timestamp": 12.5}]},
       {"participant": {"id": 7, "name": null}, "words": [
        {"text": "Hm.", "start_timestamp": {"relative": 13}, "end_timestamp": {"relative": 14}}]}]
      """;

  private static Transcript read(String text) {
    return Transcript.read(text.getBytes(UTF_8));
  }

  private static List<String> lines(Transcript transcript) {
    return transcript.utterances().stream()
        .map(
            each -> each.startMs() + "-" + each.endMs() + " " + each.speaker() + ": " + each.text())
        .toList();
  }

  @Test
  void voicesOfWebVtt() {
    assertThat(lines(read(TEAMS)))
        .containsExactly(
            "3120-5500 Ada Lovelace: Good morning & welcome, everybody.",
            "5500-9000 Grace Hopper: Shall we start?",
            "5500-9000 Ada Lovelace: Yes.");
    assertThat(read(TEAMS).problems()).isEmpty();
  }

  @Test
  void namesBeforeAColon() {
    assertThat(lines(read(ZOOM)))
        .containsExactly(
            "1000-4250 Ada Lovelace: Good morning: welcome.",
            "4250-62000 Grace Hopper: Thanks.",
            "3600000-3601000 null: (laughter)");
  }

  @Test
  void subRipWithoutNames() {
    assertThat(lines(read(SUB_RIP)))
        .containsExactly(
            "1000-4250 null: Note: the meeting is recorded.",
            "4250-6000 null: Thanks, everybody.",
            "7500-8000 null: And it begins.");
    assertThat(lines(Transcript.read(SUB_RIP.replace("\n", "\r\n").getBytes(UTF_16))))
        .as("of Windows")
        .isEqualTo(lines(read(SUB_RIP)));
  }

  @Test
  void deepgram() {
    assertThat(lines(read(DEEPGRAM)))
        .containsExactly("480-1500 Speaker 1: Good morning.", "2000-3750 Speaker 2: Hello.");
    assertThat(read(DEEPGRAM).lengthMs()).isEqualTo(12_250);
    assertThat(lines(read(DEEPGRAM_WORDS)))
        .containsExactly(
            "500-1250 Speaker 1: Good morning.",
            "1500-2000 Speaker 2: Hello.",
            "4000-5000 Speaker 2: well");
  }

  @Test
  void assemblyAi() {
    assertThat(lines(read(ASSEMBLY_AI)))
        .containsExactly("0-1380 Speaker A: Hi, I'm Joy.", "1400-2100 Speaker B: Hi.");
    assertThat(read(ASSEMBLY_AI).lengthMs()).isEqualTo(150_000);
  }

  @Test
  void whisperNamesWhatItLeavesOut() {
    Transcript transcript = read(WHISPER_X);
    assertThat(lines(transcript))
        .containsExactly(
            "31-4200 SPEAKER_00: Good morning.",
            "4200-6000 SPEAKER_01: Hello.",
            "7000-8000 null: Unknown.");
    assertThat(transcript.problems()).containsExactly("segments[2]: start and end are expected");
  }

  @Test
  void recall() {
    Transcript transcript = read(RECALL);
    assertThat(lines(transcript))
        .containsExactly(
            "10500-11750 Ada Lovelace: Good morning.",
            "12000-12500 Grace Hopper: Hello.",
            "13000-14000 null: Hm.");
    assertThat(transcript.startedAt()).isEqualTo(Instant.parse("2026-01-31T09:30:00Z"));
  }

  @Test
  void aDamagedPartIsNamedAndTheRestIsRead() {
    Transcript transcript =
        read(ZOOM.replace("00:00:04.250 --> 00:01:02.000", "00:00:04.250 --> later"));
    assertThat(transcript.utterances()).hasSize(2);
    assertThat(transcript.problems())
        .containsExactly("line 8: times such as 00:01.000 --> 00:02.000 are expected");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "Good morning.", "{\"a\": 1}", "{\"segments\": [", "{\"segments\": 3}"})
  void somethingElseIsNone(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(UnreadableTranscript.class);
  }

  @Test
  void aFileIsTheSameCaptureAgain() {
    UUID workspace = UUID.randomUUID();
    Instant now = Instant.parse("2026-02-01T00:00:00Z");
    byte[] file = TEAMS.getBytes(UTF_8);

    Transcript transcript = Transcript.read(file);
    JsonObject capture = ImportedCapture.of(workspace, "manual", "Kickoff", file, transcript, now);
    String renamed =
        ImportedCapture.of(workspace, "ambient", "x", file, transcript, now).getString("id");
    String elsewhere =
        ImportedCapture.of(UUID.randomUUID(), "manual", "Kickoff", file, transcript, now)
            .getString("id");

    assertThat(renamed).isEqualTo(capture.getString("id")).isNotEqualTo(elsewhere);
    assertThat(capture.getJsonArray("participants").encode())
        .isEqualTo(
            "[{\"label\":\"Ada Lovelace\",\"speech_ms\":5880},{\"label\":\"Grace Hopper\",\"speech_ms\":3500}]");
    assertThat(capture.getString("ended_at")).isEqualTo("2026-02-01T00:00:09Z");
  }
}
