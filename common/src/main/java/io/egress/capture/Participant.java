package io.egress.capture;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** One detected speaker. {@code label} is unique within the capture. */
public record Participant(
    String label, @Nullable Member member, @Nullable Double matchConfidence, long speechMs) {
  public Participant {
    requireNonNull(label, "label is null");
  }

  public boolean matched() {
    return member != null;
  }

  Participant withMember(Member named) {
    return new Participant(label, named, matchConfidence, speechMs);
  }
}
