package io.egress.transcript.capture;

import org.jspecify.annotations.Nullable;

/** One utterance. {@code speaker} is a participant's label, or null for unattributed audio. */
public record Segment(long startMs, long endMs, @Nullable String speaker, String text) {}
