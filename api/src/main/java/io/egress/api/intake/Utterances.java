package io.egress.api.intake;

import io.egress.platform.http.SafeText;
import io.egress.transcript.capture.Segment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The segments of a capture while its body is parsed. They may precede the participants, so unknown
 * speakers are resolved at the end.
 */
final class Utterances implements JsonBody.Elements {
  private static final Shape SHAPE = Shape.of("start_ms", "end_ms", "speaker", "text");

  private record Unknown(int index, String speaker) {}

  private final Speakers speakers;
  private final BodyFaults faults = new BodyFaults();
  private final List<Segment> segments = new ArrayList<>();
  private final List<Unknown> unknown = new ArrayList<>();
  private final Map<String, String> unknownOnce = new HashMap<>();

  Utterances(Speakers speakers) {
    this.speakers = speakers;
  }

  @Override
  public Shape shape() {
    return SHAPE;
  }

  @Override
  public BodyFaults faults() {
    return faults;
  }

  @Override
  public void take(int index, Fields fields) {
    long startMs = fields.whole("start_ms", 0, Fields.WHOLE_MAX);
    long endMs = fields.whole("end_ms", 0, Fields.WHOLE_MAX);
    if (endMs < startMs && fields.isSound("end_ms")) {
      fields.fault("end_ms", "must not be before start_ms");
    }
    String speaker = fields.optionalAnyText("speaker", Speakers.LABEL_CHARACTERS_MAX);
    String held = speaker == null ? null : held(index, speaker);
    String text = fields.anyText("text", Integer.MAX_VALUE);
    if (faults.isEmpty()) {
      segments.add(new Segment(startMs, endMs, held, text));
    }
  }

  /** Called once, after all participants were read. */
  void checkSpeakers() {
    for (Unknown named : unknown) {
      if (speakers.label(named.speaker()) == null) {
        faults.add(
            "segments[" + named.index() + "].speaker",
            "no participant has the label " + SafeText.quoted(named.speaker()));
      }
    }
  }

  List<Segment> inTimeOrder() {
    segments.sort(Comparator.comparingLong(Segment::startMs));
    return segments;
  }

  /** Shares one string among all segments of a speaker. */
  private String held(int index, String speaker) {
    String label = speakers.label(speaker);
    if (label != null) {
      return label;
    }
    String once = unknownOnce.computeIfAbsent(speaker, first -> first);
    unknown.add(new Unknown(index, once));
    return once;
  }
}
