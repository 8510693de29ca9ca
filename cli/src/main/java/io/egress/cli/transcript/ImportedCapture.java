package io.egress.cli.transcript;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A capture that is made of a transcript. Its id comes from the workspace and the bytes of the
 * file, so that a file that is imported again is the same capture.
 */
public final class ImportedCapture {
  private static final String DEVICE = "Import";

  private ImportedCapture() {}

  /** The body of the hook. {@code startedAt} is for a file that does not say it. */
  public static JsonObject of(
      UUID workspace,
      String mode,
      String title,
      byte[] file,
      Transcript transcript,
      Instant startedAt) {
    Map<String, Long> speechMs = new LinkedHashMap<>();
    JsonArray segments = new JsonArray();
    for (Utterance each : transcript.utterances()) {
      JsonObject segment =
          new JsonObject().put("start_ms", each.startMs()).put("end_ms", each.endMs());
      if (each.speaker() != null) {
        speechMs.merge(each.speaker(), each.endMs() - each.startMs(), Long::sum);
        segment.put("speaker", each.speaker());
      }
      segments.add(segment.put("text", each.text()));
    }
    JsonArray participants = new JsonArray();
    speechMs.forEach((label, spoken) ->
        participants.add(new JsonObject().put("label", label).put("speech_ms", spoken)));
    Instant begin = transcript.startedAt() == null ? startedAt : transcript.startedAt();
    return new JsonObject()
        .put("id", id(workspace + "/" + sha256(file)).toString())
        .put("workspace_id", workspace.toString())
        .put("mode", mode)
        .put("title", title)
        .put("started_at", begin.toString())
        .put("ended_at", begin.plusMillis(transcript.lengthMs()).toString())
        .put("duration_ms", transcript.lengthMs())
        .put(
            "device",
            new JsonObject().put("id", id(workspace + "/" + DEVICE).toString()).put("name", DEVICE))
        .put("participants", participants)
        .put("segments", segments);
  }

  private static UUID id(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(UTF_8));
  }

  private static String sha256(byte[] file) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
