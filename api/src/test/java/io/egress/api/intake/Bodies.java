package io.egress.api.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.params.provider.Arguments;

/** Bodies to read, and the results. */
final class Bodies {
  static final UUID ID = UUID.fromString("7c9e6679-7425-40de-944b-e07fc1f90ae7");

  /** A change that makes a body invalid. */
  interface Change extends Consumer<JsonObject> {}

  private Bodies() {}

  static Arguments fault(String field, Change change, String problem) {
    return Arguments.of(field, change, problem);
  }

  static JsonObject capture() {
    return new JsonObject()
        .put("workspace_id", ID.toString())
        .put("mode", "ambient")
        .put("title", "Title")
        .putNull("summary")
        .put("started_at", "2026-01-31T09:30:00.123456+01:00")
        .put("ended_at", "2026-01-31T09:00:00Z")
        .put("duration_ms", 1_800_000)
        .put("device", new JsonObject().put("id", ID.toString()).put("name", "Kitchen"))
        .put(
            "participants",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("label", "S1")
                        .put("member", member())
                        .put("match_confidence", 0.9)
                        .put("speech_ms", 10))
                .add(new JsonObject().put("label", "S2").putNull("member").put("speech_ms", 0)))
        .put(
            "segments",
            new JsonArray()
                .add(segment(1_000, 2_000, "b").put("speaker", "S2"))
                .add(segment(0, 900, "a").put("speaker", "S1")));
  }

  static JsonObject member() {
    return new JsonObject()
        .put("id", ID.toString())
        .put("name", "Ada")
        .put("email", "ada@example.com");
  }

  static JsonObject segment(long startMs, long endMs, String text) {
    return new JsonObject().put("start_ms", startMs).put("end_ms", endMs).put("text", text);
  }

  static JsonObject device(JsonObject capture) {
    return capture.getJsonObject("device");
  }

  static JsonObject participant(JsonObject capture) {
    return capture.getJsonArray("participants").getJsonObject(0);
  }

  static JsonObject member(JsonObject capture) {
    return participant(capture).getJsonObject("member");
  }

  static JsonObject segment(JsonObject capture) {
    return capture.getJsonArray("segments").getJsonObject(0);
  }

  static <T> T accepted(Intake<T> intake) {
    if (intake instanceof Intake.Refused<T> refused) {
      throw new AssertionError("refused: " + refused.faults().summary());
    }
    return ((Intake.Accepted<T>) intake).value();
  }

  static BodyFaults refused(Intake<?> intake) {
    assertThat(intake).isInstanceOf(Intake.Refused.class);
    return ((Intake.Refused<?>) intake).faults();
  }

  static BodyFaults refused(JsonObject capture) {
    return refused(CaptureBody.read(capture.toBuffer(), ID));
  }

  static BodyFaults refused(String capture) {
    return refused(CaptureBody.read(Buffer.buffer(capture), ID));
  }
}
