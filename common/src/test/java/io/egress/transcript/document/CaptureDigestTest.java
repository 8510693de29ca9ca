package io.egress.transcript.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Digests are stored: if they changed, a repeated call would no longer be recognized. */
class CaptureDigestTest {
  @Test
  void staysAsStored() {
    Capture capture =
        new Capture(
            new UUID(0, 1),
            new UUID(0, 2),
            Mode.AMBIENT,
            "Weekly",
            null,
            Instant.parse("2026-05-01T10:00:00Z"),
            Instant.parse("2026-05-01T10:30:00.5Z"),
            1_800_500L,
            new Device(new UUID(0, 3), "Atlas"),
            List.of(
                new Participant("S1", new Member(new UUID(0, 4), "Ada", null), 0.93, 1500),
                new Participant("S2", null, null, 0)),
            List.of(new Segment(0, 900, "S1", "Grüße"), new Segment(1000, 2000, null, "noise")));

    assertThat(HexFormat.of().formatHex(CaptureTable.Entry.of(capture).digest().getBytes()))
        .isEqualTo("6534d379bc8e7072bcf2a4399e2d144603558a905e8167fa0e3a1f2b57a3408d");
  }
}
