package io.egress.transcript.capture;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** One utterance. {@code speaker} is a participant's label, or null for unattributed audio. */
public record Segment(long startMs, long endMs, @Nullable String speaker, String text) {
  public Segment {
    requireNonNull(text, "text is null");
  }
}
