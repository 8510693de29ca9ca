package io.egress.transcript.document;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who speaks in each segment, which a document does not say: it shows names, and two participants
 * may have the same. n is the nth participant, 0 unattributed audio.
 */
final class SegmentSpeakers {
  private SegmentSpeakers() {}

  static Short[] of(Capture capture) {
    Map<String, Short> numbers = new HashMap<>();
    for (Participant participant : capture.participants()) {
      numbers.put(participant.label(), (short) (numbers.size() + 1));
    }
    return capture.segments().stream()
        .map(segment -> number(numbers, segment.speaker()))
        .toArray(Short[]::new);
  }

  private static Short number(Map<String, Short> numbers, @Nullable String label) {
    Short number = label == null ? Short.valueOf((short) 0) : numbers.get(label);
    if (number == null) {
      throw new IllegalArgumentException("no participant has the label " + label);
    }
    return number;
  }

  /** Returns {@code segments} with their speakers. */
  static List<Segment> add(
      Short[] speakers, List<Participant> participants, List<Segment> segments) {
    if (speakers.length != segments.size()) {
      throw new IllegalStateException(
          "the document has " + segments.size() + " segments instead of " + speakers.length);
    }
    List<Segment> spoken = new ArrayList<>(speakers.length);
    for (Segment segment : segments) {
      int number = speakers[spoken.size()];
      String label = number == 0 ? null : participants.get(number - 1).label();
      spoken.add(new Segment(segment.startMs(), segment.endMs(), label, segment.text()));
    }
    return spoken;
  }
}
