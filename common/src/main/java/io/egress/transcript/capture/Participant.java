package io.egress.transcript.capture;

import org.jspecify.annotations.Nullable;

/** One detected speaker. {@code label} is unique within the capture. */
public record Participant(
    String label, @Nullable Member member, @Nullable Double matchConfidence, long speechMs) {
  public boolean matched() {
    return member != null;
  }

  /** The member's name, if it is known; otherwise the label. */
  public String displayName() {
    String name = member == null ? null : member.name();
    return name == null ? label : name;
  }

  /** The confidence remains, unless there is no member any more. */
  public Participant withMember(@Nullable Member matched) {
    return new Participant(label, matched, matched == null ? null : matchConfidence, speechMs);
  }
}
