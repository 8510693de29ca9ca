package io.egress.api.intake;

import io.egress.platform.http.SafeText;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.SampleCapture;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The body of the completion hook, which is also the format of an import's lines. */
public final class CaptureBody {
  private static final int TITLE_CHARACTERS_MAX = 1_000;
  private static final int SUMMARY_CHARACTERS_MAX = 100_000;
  private static final Shape SHAPE =
      Shape.of(
          "id",
          "workspace_id",
          "mode",
          "title",
          "summary",
          "started_at",
          "ended_at",
          "duration_ms",
          "device.id",
          "device.name",
          "participants",
          "segments");

  private final BodyFaults faults = new BodyFaults();
  private final Speakers speakers = new Speakers();
  private final Utterances utterances = new Utterances(speakers);

  private CaptureBody() {}

  /** The body of {@code PUT /captures/{id}}; an id in the body must equal that of the path. */
  public static Intake<Capture> read(Buffer body, UUID id) {
    return new CaptureBody().readAny(body, id);
  }

  /** A line of an import, which must contain an id. */
  public static Intake<Capture> readLine(Buffer line) {
    return new CaptureBody().readAny(line, null);
  }

  private Intake<Capture> readAny(Buffer body, @Nullable UUID pathId) {
    Optional<Fields> fields =
        JsonBody.read(
            body, SHAPE, Map.of("participants", speakers, "segments", utterances), faults);
    if (fields.isEmpty()) {
      return new Intake.Refused<>(faults);
    }
    Capture capture = capture(fields.get(), pathId);
    faults.addAll(speakers.faults());
    faults.addAll(utterances.faults());
    return faults.isEmpty() ? new Intake.Accepted<>(capture) : new Intake.Refused<>(faults);
  }

  private Capture capture(Fields fields, @Nullable UUID pathId) {
    UUID id = id(fields, pathId);
    UUID workspaceId = fields.uuid("workspace_id");
    Mode mode = mode(fields);
    String title = fields.optionalAnyText("title", TITLE_CHARACTERS_MAX);
    String summary = fields.optionalAnyText("summary", SUMMARY_CHARACTERS_MAX);
    Instant startedAt = fields.instant("started_at");
    Instant endedAt = fields.optionalInstant("ended_at");
    Long durationMs = fields.optionalWhole("duration_ms", 0, Fields.WHOLE_MAX);
    Device device = device(fields.object("device"));
    fields.requireArray("participants");
    fields.requireArray("segments");
    if (fields.isSound("participants")) {
      utterances.checkSpeakers();
    }
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
        speakers.participants(),
        utterances.inTimeOrder());
  }

  private static UUID id(Fields fields, @Nullable UUID pathId) {
    UUID id = pathId == null ? fields.uuid("id") : idOfPath(fields, pathId);
    if (id.equals(SampleCapture.ID)) {
      fields.fault("id", "is reserved for the sample that tests of endpoints send");
    }
    return id;
  }

  private static UUID idOfPath(Fields fields, UUID pathId) {
    UUID given = fields.optionalUuid("id");
    if (given != null && !given.equals(pathId)) {
      fields.fault("id", "must be the id in the path, or be left out");
    }
    return pathId;
  }

  private static Mode mode(Fields fields) {
    String given = fields.text("mode", Integer.MAX_VALUE);
    Optional<Mode> mode = Mode.find(given);
    if (mode.isEmpty() && !given.isEmpty()) {
      fields.fault("mode", "must be \"ambient\" or \"manual\", not " + SafeText.quoted(given));
    }
    return mode.orElse(Mode.AMBIENT);
  }

  private static Device device(@Nullable Fields fields) {
    return fields == null
        ? new Device(new UUID(0, 0), null)
        : new Device(fields.uuid("id"), NameBody.optionalName(fields, "name"));
  }
}
