package io.egress.transcript.text;

import org.jspecify.annotations.Nullable;

/** A capture as people would write it down: its title, its summary, and who said what. */
final class PlainTranscript {
  private PlainTranscript() {}

  static String of(CaptureDocument capture) {
    StringBuilder text = new StringBuilder();
    paragraph(text, capture.text("title"));
    paragraph(text, capture.text("summary"));
    paragraph(text, capture.text("transcript_text"));
    return text.toString();
  }

  private static void paragraph(StringBuilder text, @Nullable String paragraph) {
    if (paragraph != null && !paragraph.isBlank()) {
      text.append(text.isEmpty() ? "" : "\n").append(paragraph.strip()).append('\n');
    }
  }
}
