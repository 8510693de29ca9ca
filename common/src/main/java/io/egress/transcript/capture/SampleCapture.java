package io.egress.transcript.capture;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The capture sent to test an endpoint. It is in no stream: captures with its id are rejected. */
public final class SampleCapture {
  /** Receivers recognize the sample by this id. */
  public static final UUID ID = UUID.fromString("7e57da7a-0000-4000-8000-000000000000");

  private static final Duration LENGTH = Duration.ofSeconds(6);
  private static final Device DEVICE =
      new Device(UUID.fromString("7e57da7a-0000-4000-8000-000000000001"), "Test device");
  private static final List<Participant> PARTICIPANTS =
      List.of(new Participant("S1", null, null, 2_500), new Participant("S2", null, null, 3_000));
  private static final List<Segment> SEGMENTS =
      List.of(
          new Segment(0, 2_500, "S1", "This webhook is a test of your endpoint."),
          new Segment(3_000, 6_000, "S2", "Nobody said this: there is no such conversation."));

  private SampleCapture() {}

  public static Capture of(UUID workspaceId, Instant now) {
    return new Capture(
        ID,
        workspaceId,
        Mode.MANUAL,
        "Test webhook, not a conversation",
        "Sent on request to test this endpoint.",
        now.minus(LENGTH),
        now,
        LENGTH.toMillis(),
        DEVICE,
        PARTICIPANTS,
        SEGMENTS);
  }
}
