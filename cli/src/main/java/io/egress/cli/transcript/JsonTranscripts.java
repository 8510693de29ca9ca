package io.egress.cli.transcript;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What speech recognition answers: Deepgram, AssemblyAI, Whisper and WhisperX, Recall.ai. */
final class JsonTranscripts {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double SECONDS = 1_000;
  private static final double MILLIS = 1;

  /** Where an utterance of a list has what. */
  private record Shape(String text, double unitMs) {
    private static final Shape DEEPGRAM = new Shape("transcript", SECONDS);
    private static final Shape ASSEMBLY_AI = new Shape("text", MILLIS);
    private static final Shape WHISPER = new Shape("text", SECONDS);
  }

  private final List<Utterance> utterances = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable Instant startedAt;

  private JsonTranscripts() {}

  static Transcript read(String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException broken) {
      throw new UnreadableTranscript(
          "line " + broken.getLocation().getLineNr() + ": " + broken.getOriginalMessage());
    }
    return new JsonTranscripts().read(root);
  }

  private Transcript read(JsonNode root) {
    if (root.isArray()) {
      readRecall(root);
      return transcript("Recall.ai", null);
    }
    if (root.path("results").isObject()) {
      readDeepgram(root.path("results"));
      return transcript("Deepgram", millis(root.path("metadata").path("duration"), SECONDS));
    }
    if (root.has("utterances") || root.has("audio_duration")) {
      readAssemblyAi(root);
      return transcript("AssemblyAI", millis(root.path("audio_duration"), SECONDS));
    }
    if (root.path("segments").isArray()) {
      readList(root.path("segments"), "segments", Shape.WHISPER);
      return transcript("Whisper", null);
    }
    throw new UnreadableTranscript(
        "it is JSON, but of none of Deepgram, AssemblyAI, Whisper and Recall.ai");
  }

  private Transcript transcript(String format, @Nullable Long durationMs) {
    return new Transcript(format, utterances, startedAt, durationMs, problems);
  }

  /** Without {@code utterances=true}, an answer has words only. */
  private void readDeepgram(JsonNode results) {
    if (results.path("utterances").isArray()) {
      readList(results.path("utterances"), "results.utterances", Shape.DEEPGRAM);
      return;
    }
    JsonNode channels = results.path("channels");
    for (int i = 0; i < channels.size(); i++) {
      String place = "results.channels[%d].alternatives[0].words".formatted(i);
      JsonNode words = channels.path(i).path("alternatives").path(0).path("words");
      String channel = channels.size() > 1 ? "Channel " + (i + 1) : null;
      readWords(words, place, "punctuated_word", "word", SECONDS, channel);
    }
  }

  private void readAssemblyAi(JsonNode root) {
    if (root.path("utterances").isArray()) {
      readList(root.path("utterances"), "utterances", Shape.ASSEMBLY_AI);
    } else {
      readWords(root.path("words"), "words", "text", "text", MILLIS, null);
    }
  }

  private void readList(JsonNode list, String name, Shape shape) {
    for (int i = 0; i < list.size(); i++) {
      JsonNode each = list.path(i);
      add(
          name + "[" + i + "]",
          millis(each.path("start"), shape.unitMs()),
          millis(each.path("end"), shape.unitMs()),
          speaker(each.path("speaker")),
          each.path(shape.text()).asText());
    }
  }

  /** Joins the words that a speaker says without a pause of a second. */
  private void readWords(
      JsonNode words,
      String name,
      String text,
      String otherwise,
      double unitMs,
      @Nullable String otherSpeaker) {
    Turn turn = null;
    for (int i = 0; i < words.size(); i++) {
      JsonNode word = words.path(i);
      String speaker = Optional.ofNullable(speaker(word.path("speaker"))).orElse(otherSpeaker);
      Long start = millis(word.path("start"), unitMs);
      Long end = millis(word.path("end"), unitMs);
      if (start == null || end == null) {
        problems.add(name + "[" + i + "]: start and end are expected");
        continue;
      }
      if (turn == null || !turn.isGoneOn(speaker, start)) {
        flush(turn, name);
        turn = new Turn(speaker, start, i);
      }
      turn.add(word.path(word.has(text) ? text : otherwise).asText(), end);
    }
    flush(turn, name);
  }

  private void flush(@Nullable Turn turn, String name) {
    if (turn != null) {
      add(name + "[" + turn.index + "]", turn.start, turn.end, turn.speaker, turn.text.toString());
    }
  }

  /** An entry is what a participant says at a time; older ones name the speaker only. */
  private void readRecall(JsonNode entries) {
    for (int i = 0; i < entries.size(); i++) {
      JsonNode entry = entries.path(i);
      JsonNode words = entry.path("words");
      String place = "[" + i + "]";
      if (!words.isArray()) {
        problems.add(place + ": words are expected");
        continue;
      }
      List<String> said = new ArrayList<>();
      words.forEach(word -> said.add(word.path("text").asText()));
      JsonNode first = words.path(0).path("start_timestamp");
      JsonNode participant = entry.path("participant");
      add(
          place,
          recallMillis(first),
          recallMillis(words.path(words.size() - 1).path("end_timestamp")),
          speaker(participant.isObject() ? participant.path("name") : entry.path("speaker")),
          String.join(" ", said));
      noteStart(first);
    }
  }

  private static @Nullable Long recallMillis(JsonNode timestamp) {
    return millis(timestamp.isObject() ? timestamp.path("relative") : timestamp, SECONDS);
  }

  private void noteStart(JsonNode timestamp) {
    Long relative = recallMillis(timestamp);
    if (startedAt == null && relative != null && timestamp.path("absolute").isTextual()) {
      try {
        startedAt =
            OffsetDateTime.parse(timestamp.path("absolute").textValue())
                .toInstant()
                .minusMillis(relative);
      } catch (DateTimeException notOne) {
        problems.add("the absolute time of the first word is none");
      }
    }
  }

  private void add(
      String place,
      @Nullable Long start,
      @Nullable Long end,
      @Nullable String speaker,
      String text) {
    String said = Texts.inOneLine(text);
    if (start == null || end == null) {
      problems.add(place + ": start and end are expected");
    } else if (end < start) {
      problems.add(place + ": it ends before it starts");
    } else if (!said.isEmpty()) {
      utterances.add(new Utterance(start, end, speaker, said));
    }
  }

  /** Deepgram counts voices from 0, AssemblyAI names them A, B and so on. */
  private static @Nullable String speaker(JsonNode speaker) {
    if (speaker.isNumber()) {
      return "Speaker " + (speaker.asInt() + 1);
    }
    String name = Texts.inOneLine(speaker.asText(""));
    if (name.isEmpty() || speaker.isNull()) {
      return null;
    }
    return name.matches("[A-Z]") ? "Speaker " + name : name;
  }

  private static @Nullable Long millis(JsonNode number, double unitMs) {
    return number.isNumber() && number.asDouble() >= 0
        ? Math.round(number.asDouble() * unitMs)
        : null;
  }

  private static final class Turn {
    private static final long PAUSE_MS = 1_000;

    private final @Nullable String speaker;
    private final long start;
    private final int index;
    private final StringBuilder text = new StringBuilder();
    private long end;

    private Turn(@Nullable String speaker, long start, int index) {
      this.speaker = speaker;
      this.start = start;
      this.end = start;
      this.index = index;
    }

    private boolean isGoneOn(@Nullable String next, long at) {
      return Objects.equals(speaker, next) && at - end < PAUSE_MS;
    }

    private void add(String word, long wordEnd) {
      text.append(text.isEmpty() ? "" : " ").append(word);
      end = Math.max(end, wordEnd);
    }
  }
}
