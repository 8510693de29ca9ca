package io.egress.transcript.text;

import io.egress.platform.json.UtcInstant;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A capture as Markdown with front matter. */
final class MarkdownTranscript {
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter TIME_OF_DAY =
      DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final String UNATTRIBUTED = "Unknown speaker";

  private final CaptureDocument capture;
  private final @Nullable Instant endedAt;
  private final @Nullable String device;
  private final StringBuilder text = new StringBuilder();

  private MarkdownTranscript(CaptureDocument capture) {
    this.capture = capture;
    this.endedAt = end(capture);
    this.device =
        capture.json().getValue("device") instanceof JsonObject object
            ? CaptureDocument.text(object, "name")
            : null;
  }

  static String of(CaptureDocument capture) {
    return new MarkdownTranscript(capture).write();
  }

  private static @Nullable Instant end(CaptureDocument capture) {
    try {
      String end = capture.text("ended_at");
      return end == null ? null : CaptureDocument.time(end);
    } catch (IOException notOne) {
      return null;
    }
  }

  private String write() {
    writeFrontMatter();
    writeHead();
    writeConversation();
    return text.toString();
  }

  private void writeFrontMatter() {
    text.append("---\n");
    field("id", capture.id().toString());
    field("title", MarkdownText.quoted(title()));
    field("started_at", UtcInstant.format(capture.startedAt()));
    field("ended_at", endedAt == null ? "null" : UtcInstant.format(endedAt));
    field("device", device == null ? "null" : MarkdownText.quoted(device));
    field("members", names("name").map(MarkdownText::quoted).toList().toString());
    field("emitted_at", UtcInstant.format(capture.emittedAt()));
    text.append("---\n\n");
  }

  private void field(String name, String value) {
    text.append(name).append(": ").append(value).append('\n');
  }

  private void writeHead() {
    text.append("# ").append(MarkdownText.inline(title())).append("\n\n");
    item("When", when());
    if (device != null && !device.isBlank()) {
      item("Where", MarkdownText.inline(device));
    }
    List<String> speakers = names("name", "label").map(MarkdownText::inline).toList();
    if (!speakers.isEmpty()) {
      item("Who", String.join(", ", speakers));
    }
    String summary = capture.text("summary");
    if (summary != null && !summary.isBlank()) {
      text.append('\n').append(MarkdownText.paragraphs(summary)).append('\n');
    }
  }

  private void item(String name, String value) {
    text.append("- **").append(name).append(":** ").append(value).append('\n');
  }

  private String when() {
    String start = MINUTE.format(capture.startedAt());
    if (endedAt == null) {
      return start + " UTC";
    }
    boolean sameDay = CaptureDocument.day(endedAt).equals(capture.day());
    return start + " to " + (sameDay ? TIME_OF_DAY : MINUTE).format(endedAt) + " UTC";
  }

  private void writeConversation() {
    String speaker = null;
    StringBuilder run = new StringBuilder();
    long startMs = 0;
    for (JsonObject segment : capture.objects("segments")) {
      String words = CaptureDocument.text(segment, "text");
      if (words == null || words.isBlank()) {
        continue;
      }
      String next = CaptureDocument.text(segment, "speaker");
      if (run.isEmpty() || !Objects.equals(speaker, next)) {
        writeRun(speaker, startMs, run);
        run.setLength(0);
        speaker = next;
        startMs = segment.getValue("start_ms") instanceof Number number ? number.longValue() : 0;
      }
      run.append(words).append(' ');
    }
    writeRun(speaker, startMs, run);
  }

  private void writeRun(@Nullable String speaker, long startMs, CharSequence words) {
    if (!words.isEmpty()) {
      String name = speaker == null || speaker.isBlank() ? UNATTRIBUTED : speaker;
      text.append("\n**").append(MarkdownText.inline(name)).append("** ").append(clock(startMs));
      text.append(" — ").append(MarkdownText.inline(words.toString())).append('\n');
    }
  }

  private String title() {
    String title = capture.text("title");
    return title == null ? "" : title;
  }

  /** Of each participant the first of {@code fields} that it has, without repetitions. */
  private Stream<String> names(String... fields) {
    return capture.objects("participants").stream()
        .flatMap(participant ->
            Stream.of(fields)
                .map(field -> CaptureDocument.text(participant, field))
                .filter(name -> name != null && !name.isBlank())
                .limit(1))
        .distinct();
  }

  private static String clock(long ms) {
    long seconds = ms / 1000;
    long hours = seconds / 3600;
    String rest = String.format(Locale.ROOT, "%02d:%02d", seconds / 60 % 60, seconds % 60);
    return hours == 0 ? rest : hours + ":" + rest;
  }
}
