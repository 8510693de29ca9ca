package io.egress.transcript.text;

import io.egress.platform.json.UtcInstant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A capture as captions of its recording: a cue for each utterance. */
final class Captions {
  private Captions() {}

  /** WebVTT, with the speakers as voices, and a note that says which capture it is. */
  static String vtt(CaptureDocument capture) {
    StringBuilder text = new StringBuilder("WEBVTT\n\nNOTE\n");
    text.append("id: ").append(capture.id()).append('\n');
    text.append("title: ").append(note(capture.text("title"))).append('\n');
    text.append("started_at: ").append(UtcInstant.format(capture.startedAt())).append('\n');
    text.append("emitted_at: ").append(UtcInstant.format(capture.emittedAt())).append('\n');
    for (Utterance cue : Utterance.of(capture)) {
      text.append('\n').append(span(cue, '.')).append('\n');
      if (cue.speaker() != null) {
        text.append("<v ").append(escaped(cue.speaker())).append('>');
      }
      text.append(escaped(cue.text())).append('\n');
    }
    return text.toString();
  }

  /** SubRip, which knows no speakers: each has a line, so that every script runs its own way. */
  static String srt(CaptureDocument capture) {
    StringBuilder text = new StringBuilder();
    List<Utterance> cues = Utterance.of(capture);
    for (int i = 0; i < cues.size(); i++) {
      Utterance cue = cues.get(i);
      text.append(i + 1).append('\n').append(span(cue, ',')).append('\n');
      if (cue.speaker() != null) {
        text.append(cue.speaker()).append(":\n");
      }
      text.append(cue.text()).append("\n\n");
    }
    return text.toString();
  }

  /** An arrow would begin a cue. */
  private static String note(@Nullable String text) {
    String line = Utterance.line(text);
    return line == null ? "" : line.replace("-->", "->");
  }

  private static String span(Utterance cue, char point) {
    return time(cue.startMs(), point) + " --> " + time(cue.endMs(), point);
  }

  private static String time(long ms, char point) {
    return String.format(
        Locale.ROOT,
        "%02d:%02d:%02d%c%03d",
        ms / 3_600_000,
        ms / 60_000 % 60,
        ms / 1_000 % 60,
        point,
        ms % 1_000);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
