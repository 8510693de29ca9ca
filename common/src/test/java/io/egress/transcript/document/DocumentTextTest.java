package io.egress.transcript.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Participant;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** A document and the speakers of its segments say everything that was said. */
class DocumentTextTest {
  @RepeatedTest(200)
  void saysWhatWasSaid(RepetitionInfo run) {
    Capture capture = Captures.random(new Random(run.getCurrentRepetition()));

    DocumentText said = DocumentText.of(document(capture));

    assertThat(said.summary()).isEqualTo(capture.summary());
    assertThat(said.participants())
        .isEqualTo(
            capture.participants().stream()
                .map(each ->
                    new Participant(each.label(), null, each.matchConfidence(), each.speechMs()))
                .toList());
    assertThat(
            SegmentSpeakers.add(
                SegmentSpeakers.of(capture), capture.participants(), said.segments()))
        .isEqualTo(capture.segments());
  }

  @Test
  void isNotThatOfOtherSegments() {
    Capture capture = Captures.random(new Random(1));
    DocumentText said = DocumentText.of(document(capture));
    Short[] speakers = SegmentSpeakers.of(capture);
    assertThat(speakers).isNotEmpty();

    assertThatThrownBy(() ->
            SegmentSpeakers.add(
                Arrays.copyOf(speakers, speakers.length - 1),
                capture.participants(),
                said.segments()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void needsParticipantsAndSegments() {
    assertThatThrownBy(() -> DocumentText.of(text("{\"participants\":[]}")))
        .hasMessage("a document has no segments");
    assertThatThrownBy(() -> DocumentText.of(text("{\"segments\":[]}")))
        .hasMessage("a document has no participants");
  }

  private static Fragment text(String json) {
    return Fragment.deflate(json.getBytes(StandardCharsets.UTF_8));
  }

  private static Fragment document(Capture capture) {
    return Fragment.deflate(new TranscriptRenderer().render(capture));
  }
}
