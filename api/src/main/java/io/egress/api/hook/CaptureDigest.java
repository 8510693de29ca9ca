package io.egress.api.hook;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.egress.capture.Capture;
import io.egress.capture.Member;
import io.egress.capture.Participant;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** SHA-256 of all fields of a capture, to recognize a repeated call. */
final class CaptureDigest {
  private static final JsonFactory JSON = new JsonFactory();

  private CaptureDigest() {}

  static Buffer of(Capture capture, String segmentsJson) {
    MessageDigest digest = sha256();
    try (JsonGenerator json =
        JSON.createGenerator(new DigestOutputStream(OutputStream.nullOutputStream(), digest))) {
      json.writeStartArray();
      writeHead(json, capture);
      for (Participant participant : capture.participants()) {
        writeParticipant(json, participant);
      }
      json.writeEndArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return Buffer.buffer(digest.digest(segmentsJson.getBytes(StandardCharsets.UTF_8)));
  }

  private static void writeHead(JsonGenerator json, Capture capture) throws IOException {
    json.writeString(capture.workspaceId().toString());
    json.writeString(capture.mode().wireName());
    json.writeString(capture.title());
    json.writeString(capture.summary());
    writeText(json, capture.startedAt());
    writeText(json, capture.endedAt());
    writeText(json, capture.durationMs());
    json.writeString(capture.device().id().toString());
    json.writeString(capture.device().name());
  }

  private static void writeParticipant(JsonGenerator json, Participant participant)
      throws IOException {
    Member member = participant.member();
    json.writeStartArray();
    json.writeString(participant.label());
    if (member != null) {
      json.writeString(member.id().toString());
      json.writeString(member.name());
      json.writeString(member.email());
    }
    writeText(json, participant.matchConfidence());
    json.writeNumber(participant.speechMs());
    json.writeEndArray();
  }

  private static void writeText(JsonGenerator json, @Nullable Object value) throws IOException {
    json.writeString(value == null ? null : value.toString());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
