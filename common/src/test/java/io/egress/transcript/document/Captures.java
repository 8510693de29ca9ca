package io.egress.transcript.document;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Random captures with all kinds of text. */
final class Captures {
  private static final List<String> PIECES =
      List.of(
          "a",
          "Ä",
          "漢字",
          "\uD83D\uDE00",
          "\"",
          "\\",
          "\n",
          "\r\n",
          "\t",
          "\u000B",
          "\f",
          "\u0085",
          "\u2028",
          "\u2029",
          "\u0001",
          " ",
          "  ",
          "</script>",
          "\u202E",
          "e\u0301",
          "\uFEFF",
          ":");

  private Captures() {}

  static Capture random(Random random) {
    List<Participant> participants = new ArrayList<>();
    int speakers = random.nextInt(4);
    for (int i = 0; i < speakers; i++) {
      participants.add(participant(random, i));
    }
    List<Segment> segments = new ArrayList<>();
    int count = random.nextInt(30);
    for (int i = 0; i < count; i++) {
      int speaker = random.nextInt(speakers + 1);
      String label = speaker == speakers ? null : participants.get(speaker).label();
      segments.add(new Segment(i * 10L, i * 10L + 5, label, text(random)));
    }
    return new Capture(
        new UUID(random.nextLong(), random.nextLong()),
        new UUID(random.nextLong(), random.nextLong()),
        random.nextBoolean() ? Mode.AMBIENT : Mode.MANUAL,
        orNull(random, text(random)),
        orNull(random, text(random)),
        Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L)),
        orNull(random, Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L))),
        orNull(random, random.nextLong(1L << 53)),
        new Device(new UUID(1, random.nextLong()), orNull(random, text(random))),
        participants,
        segments);
  }

  static String text(Random random) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(6);
    for (int i = 0; i < pieces; i++) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }

  private static Participant participant(Random random, int number) {
    Member member =
        random.nextBoolean()
            ? new Member(
                new UUID(2, random.nextInt(2)),
                orNull(random, "Member " + text(random)),
                orNull(random, "m@example.com"))
            : null;
    Double confidence = member == null ? null : orNull(random, random.nextInt(1001) / 1000.0);
    return new Participant(
        "S" + number + text(random), member, confidence, random.nextInt(1_000_000));
  }

  private static <T> @Nullable T orNull(Random random, T value) {
    return random.nextInt(4) == 0 ? null : value;
  }
}
