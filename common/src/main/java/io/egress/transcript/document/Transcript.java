package io.egress.transcript.document;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The transcript as documents show it. The plain text is derived from the segments: a line per run
 * of consecutive segments with the same displayed speaker.
 */
final class Transcript {
  private static final String UNATTRIBUTED = "Unknown speaker";

  private final Capture capture;
  private final Map<String, String> nameByLabel = new HashMap<>();

  Transcript(Capture capture) {
    this.capture = capture;
    for (Participant participant : capture.participants()) {
      nameByLabel.put(participant.label(), participant.displayName());
    }
  }

  /** The matched member's name, otherwise the label; null for unattributed audio. */
  @Nullable String speaker(Segment segment) {
    String label = segment.speaker();
    return label == null ? null : nameByLabel.getOrDefault(label, label);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    String speaking = null;
    boolean first = true;
    for (Segment segment : capture.segments()) {
      String speaker = speaker(segment);
      if (first || !Objects.equals(speaker, speaking)) {
        if (!first) {
          text.append('\n');
        }
        appendOneLine(text, speaker == null ? UNATTRIBUTED : speaker);
        text.append(':');
        speaking = speaker;
        first = false;
      }
      String utterance = segment.text().strip();
      if (!utterance.isEmpty()) {
        text.append(' ');
        appendOneLine(text, utterance);
      }
    }
    return text.toString();
  }

  private static void appendOneLine(StringBuilder text, String part) {
    int begin = 0;
    for (int i = 0; i < part.length(); i++) {
      if (breaksLine(part.charAt(i))) {
        text.append(part, begin, i).append(' ');
        begin = i + 1;
      }
    }
    text.append(part, begin, part.length());
  }

  private static boolean breaksLine(char c) {
    return (c >= '\n' && c <= '\r') || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }
}
