package io.egress.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.capture.Capture;
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

    assertThatThrownBy(
            () ->
                SegmentSpeakers.add(
                    Arrays.copyOf(speakers, speakers.length - 1),
                    capture.participants(),
                    said.segments()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void needsSegments() {
    Fragment without = Fragment.deflate("{\"summary\":null}".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> DocumentText.of(without)).hasMessage("a document has no segments");
  }

  private static Fragment document(Capture capture) {
    return Fragment.deflate(new TranscriptRenderer().render(capture));
  }
}
