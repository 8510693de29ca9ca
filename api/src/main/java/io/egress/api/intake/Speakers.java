package io.egress.api.intake;

import io.egress.platform.http.SafeText;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The participants of a capture while its body is parsed. */
final class Speakers implements JsonBody.Elements {
  static final int LABEL_CHARACTERS_MAX = 200;

  /** Segments refer to participants by a number of two bytes. */
  static final int PARTICIPANTS_MAX = Short.MAX_VALUE;

  private static final Shape SHAPE =
      Shape.of(
          "label", "member.id", "member.name", "member.email", "match_confidence", "speech_ms");

  private final BodyFaults faults = new BodyFaults();
  private final List<Participant> participants = new ArrayList<>();
  private final Map<String, String> labels = new HashMap<>();

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
    String label = fields.text("label", LABEL_CHARACTERS_MAX);
    if (!label.isEmpty() && labels.putIfAbsent(label, label) != null) {
      fields.fault("label", "stands twice: " + SafeText.quoted(label));
    }
    Member member = NameBody.member(fields.optionalObject("member"));
    Double confidence = NameBody.confidence(fields, member);
    long speechMs = fields.whole("speech_ms", 0, Fields.WHOLE_MAX);
    if (index == PARTICIPANTS_MAX) {
      faults.add("participants", "must not be more than " + PARTICIPANTS_MAX);
    }
    if (faults.isEmpty()) {
      participants.add(new Participant(label, member, confidence, speechMs));
    }
  }

  List<Participant> participants() {
    return participants;
  }

  /** The label that equals {@code speaker}, or null if not known yet. */
  @Nullable String label(String speaker) {
    return labels.get(speaker);
  }
}
