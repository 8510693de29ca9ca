package io.egress.api.intake;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.egress.capture.Capture;
import io.egress.capture.Device;
import io.egress.capture.Member;
import io.egress.capture.Mode;
import io.egress.capture.Participant;
import io.egress.capture.Segment;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The body of the completion hook, and a line of an import. */
public final class CaptureBody {
  private static final int TITLE_CHARS_MAX = 1_000;
  private static final int SUMMARY_CHARS_MAX = 100_000;
  private static final int LABEL_CHARS_MAX = 200;
  private static final Set<String> KEPT =
      Set.of(
          "id",
          "workspace_id",
          "mode",
          "title",
          "summary",
          "started_at",
          "ended_at",
          "duration_ms",
          "device");

  private final Faults faults = new Faults();
  private final List<Participant> participants = new ArrayList<>();
  private final List<Segment> segments = new ArrayList<>();
  private final Set<String> labels = new HashSet<>();

  private CaptureBody() {}

  /** The body of {@code PUT /captures/{id}}; an id inside it must be the path's. */
  public static Intake<Capture> read(Buffer body, UUID id) {
    return new CaptureBody().readAny(body, requireNonNull(id, "id is null"));
  }

  /** A line of an import, which brings its id along. */
  public static Intake<Capture> readLine(Buffer line) {
    return new CaptureBody().readAny(line, null);
  }

  private Intake<Capture> readAny(Buffer body, @Nullable UUID pathId) {
    Optional<ObjectNode> object =
        JsonBody.read(
            body,
            KEPT,
            Map.of("participants", this::takeParticipant, "segments", this::takeSegment),
            faults);
    if (object.isEmpty()) {
      return new Intake.Refused<>(faults);
    }
    Capture capture = capture(new Fields(object.get(), "", faults), pathId);
    return faults.isEmpty() ? new Intake.Accepted<>(capture) : new Intake.Refused<>(faults);
  }

  private Capture capture(Fields fields, @Nullable UUID pathId) {
    UUID id = id(fields, pathId);
    UUID workspaceId = fields.uuid("workspace_id");
    Mode mode = mode(fields);
    String title = fields.optionalText("title", TITLE_CHARS_MAX);
    String summary = fields.optionalText("summary", SUMMARY_CHARS_MAX);
    Instant startedAt = fields.instant("started_at");
    Instant endedAt = fields.optionalInstant("ended_at");
    if (endedAt != null && fields.hasValue("started_at") && endedAt.isBefore(startedAt)) {
      fields.fault("ended_at", "must not be before started_at");
    }
    Long durationMs = fields.optionalWhole("duration_ms");
    Device device = device(fields.object("device"));
    fields.requireArray("participants");
    fields.requireArray("segments");
    checkSpeakers();
    segments.sort(Comparator.comparingLong(Segment::startMs));
    return new Capture(
        id,
        workspaceId,
        mode,
        title,
        summary,
        startedAt,
        endedAt,
        durationMs,
        device,
        participants,
        segments);
  }

  private static UUID id(Fields fields, @Nullable UUID pathId) {
    if (pathId == null) {
      return fields.uuid("id");
    }
    if (fields.hasValue("id") && !fields.uuid("id").equals(pathId)) {
      fields.fault("id", "must be the id in the path, or be left out");
    }
    return pathId;
  }

  private static Mode mode(Fields fields) {
    String given = fields.text("mode", Integer.MAX_VALUE);
    for (Mode mode : Mode.values()) {
      if (mode.wireName().equals(given)) {
        return mode;
      }
    }
    if (!given.isBlank()) {
      fields.fault("mode", "must be \"ambient\" or \"manual\", not " + Shown.quoted(given));
    }
    return Mode.AMBIENT;
  }

  private static Device device(@Nullable Fields fields) {
    return fields == null
        ? new Device(new UUID(0, 0), null)
        : new Device(fields.uuid("id"), NameBody.optionalName(fields, "name"));
  }

  private void takeParticipant(String path, JsonNode element) {
    Fields fields = new Fields(element, path, faults);
    String label = fields.text("label", LABEL_CHARS_MAX);
    Member member = NameBody.member(fields.optionalObject("member"));
    Double confidence = fields.optionalShare("match_confidence");
    if (member == null && confidence != null) {
      fields.fault("match_confidence", "must be null for a participant without a member");
    }
    if (!label.isEmpty() && !labels.add(label)) {
      fields.fault("label", "stands twice: " + Shown.quoted(label));
    }
    participants.add(new Participant(label, member, confidence, fields.whole("speech_ms")));
  }

  private void takeSegment(String path, JsonNode element) {
    Fields fields = new Fields(element, path, faults);
    long startMs = fields.whole("start_ms");
    long endMs = fields.whole("end_ms");
    if (endMs < startMs && fields.hasValue("end_ms")) {
      fields.fault("end_ms", "must not be before start_ms");
    }
    String speaker = fields.optionalText("speaker", LABEL_CHARS_MAX);
    segments.add(new Segment(startMs, endMs, speaker, fields.anyText("text")));
  }

  /**
   * Only now: segments may stand before participants. They still stand in the order of the body.
   */
  private void checkSpeakers() {
    for (int i = 0; i < segments.size(); i++) {
      String speaker = segments.get(i).speaker();
      if (speaker != null && !labels.contains(speaker)) {
        faults.add(
            "segments[" + i + "].speaker", "no participant has the label " + Shown.quoted(speaker));
      }
    }
  }
}
