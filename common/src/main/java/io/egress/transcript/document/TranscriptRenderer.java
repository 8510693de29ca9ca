package io.egress.transcript.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.egress.platform.json.UtcInstant;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Renders the transcript document of the specification, fields in the order of its tables. */
public final class TranscriptRenderer implements DocumentRenderer {
  public static final short VERSION = 1;

  private static final byte[] HEAD_END = ",\"emitted_at\":\"".getBytes(StandardCharsets.US_ASCII);
  private static final String UNTITLED = "Untitled conversation";
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .build();

  @Override
  public short version() {
    return VERSION;
  }

  @Override
  public byte[] render(Capture capture) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder(16_384)) {
      JsonGenerator json = JSON.createGenerator(bytes);
      Transcript transcript = new Transcript(capture);
      json.writeStartObject();
      writeHead(json, capture);
      writeParticipants(json, capture);
      writeSegments(json, capture, transcript);
      json.writeStringField("transcript_text", transcript.text());
      json.writeNullField("calendar_event");
      json.flush();
      bytes.write(HEAD_END);
      return bytes.toByteArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static void writeHead(JsonGenerator json, Capture capture) throws IOException {
    String title = capture.title();
    json.writeStringField("id", capture.id().toString());
    json.writeStringField("workspace_id", capture.workspaceId().toString());
    json.writeStringField("mode", capture.mode().wireName());
    json.writeStringField("title", title == null || title.isBlank() ? UNTITLED : title);
    json.writeStringField("summary", capture.summary());
    json.writeStringField("started_at", UtcInstant.format(capture.startedAt()));
    json.writeStringField("ended_at", instant(capture.endedAt()));
    writeNumber(json, "duration_ms", capture.durationMs());
    Device device = capture.device();
    json.writeObjectFieldStart("device");
    json.writeStringField("id", device.id().toString());
    json.writeStringField("name", device.name());
    json.writeEndObject();
  }

  private static void writeParticipants(JsonGenerator json, Capture capture) throws IOException {
    json.writeArrayFieldStart("participants");
    for (Participant participant : capture.participants()) {
      Member member = participant.member();
      Double confidence = participant.matchConfidence();
      json.writeStartObject();
      json.writeStringField("label", participant.label());
      json.writeStringField("name", member == null ? null : member.name());
      json.writeStringField("email", member == null ? null : member.email());
      json.writeBooleanField("matched", participant.matched());
      json.writeFieldName("match_confidence");
      if (member == null || confidence == null) {
        json.writeNull();
      } else {
        json.writeNumber(confidence);
      }
      json.writeNumberField("speech_ms", participant.speechMs());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeSegments(JsonGenerator json, Capture capture, Transcript transcript)
      throws IOException {
    json.writeArrayFieldStart("segments");
    for (Segment segment : capture.segments()) {
      json.writeStartObject();
      json.writeNumberField("start_ms", segment.startMs());
      json.writeNumberField("end_ms", segment.endMs());
      json.writeStringField("speaker", transcript.speaker(segment));
      json.writeStringField("text", segment.text());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeNumber(JsonGenerator json, String field, @Nullable Long number)
      throws IOException {
    json.writeFieldName(field);
    if (number == null) {
      json.writeNull();
    } else {
      json.writeNumber(number);
    }
  }

  private static @Nullable String instant(@Nullable Instant instant) {
    return instant == null ? null : UtcInstant.format(instant);
  }
}
