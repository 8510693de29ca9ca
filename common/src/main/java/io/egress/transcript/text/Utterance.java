package io.egress.transcript.text;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was said at once.
 *
 * @param speaker a name or a label; null if it is not known whose words they are
 * @param text in one line, not empty
 */
record Utterance(long startMs, long endMs, @Nullable String speaker, String text) {
  /** Those that say something. Players reject a cue that ends when it begins. */
  static List<Utterance> of(CaptureDocument capture) {
    List<Utterance> all = new ArrayList<>();
    for (JsonObject segment : capture.objects("segments")) {
      String text = line(CaptureDocument.text(segment, "text"));
      if (text != null) {
        long startMs = ms(segment, "start_ms");
        all.add(
            new Utterance(
                startMs,
                Math.max(startMs + 1, ms(segment, "end_ms")),
                line(CaptureDocument.text(segment, "speaker")),
                text));
      }
    }
    return all;
  }

  private static long ms(JsonObject segment, String field) {
    return segment.getValue(field) instanceof Number number ? number.longValue() : 0;
  }

  /** The text in one line; null if nothing is left. */
  static @Nullable String line(@Nullable String text) {
    String line = text == null ? "" : TextLine.of(text);
    return line.isEmpty() ? null : line;
  }
}
