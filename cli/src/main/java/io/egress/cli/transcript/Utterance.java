package io.egress.cli.transcript;

import org.jspecify.annotations.Nullable;

/**
 * What somebody said.
 *
 * @param startMs milliseconds from the beginning of the recording
 * @param speaker the name, or what the program calls the voice; null if it does not say
 */
public record Utterance(long startMs, long endMs, @Nullable String speaker, String text) {}
