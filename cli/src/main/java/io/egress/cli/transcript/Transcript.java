package io.egress.cli.transcript;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transcript as far as it can be read.
 *
 * @param format the name of its format
 * @param startedAt when the recording began; null if the file does not say
 * @param durationMs null if the file does not say
 * @param problems what was left out, with its place, in words
 */
public record Transcript(
    String format,
    List<Utterance> utterances,
    @Nullable Instant startedAt,
    @Nullable Long durationMs,
    List<String> problems) {
  public Transcript {
    utterances = List.copyOf(utterances);
    problems = List.copyOf(problems);
  }

  /** Throws {@link UnreadableTranscript}. The format is recognized by the contents. */
  public static Transcript read(byte[] file) {
    String text = Texts.decode(file);
    char first = Texts.firstVisible(text);
    if (first == '{' || first == '[') {
      return JsonTranscripts.read(text);
    }
    return Captions.read(text);
  }

  /** The end of the recording, as far as that is known. */
  public long lengthMs() {
    return durationMs != null
        ? durationMs
        : utterances.stream().mapToLong(Utterance::endMs).max().orElse(0);
  }
}
