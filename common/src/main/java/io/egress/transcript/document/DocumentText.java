package io.egress.transcript.document;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a document shows as it was given, whichever version rendered it.
 *
 * @param participants without their members
 * @param segments without their speakers
 */
record DocumentText(
    @Nullable String summary, List<Participant> participants, List<Segment> segments) {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  static DocumentText of(Fragment document) {
    try (JsonParser json = JSON.createParser(document.inflate())) {
      expect(JsonToken.START_OBJECT, json.nextToken());
      String summary = null;
      List<Participant> participants = null;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        if (field.equals("summary")) {
          summary = json.getValueAsString();
        } else if (field.equals("participants")) {
          expect(JsonToken.START_ARRAY, value);
          participants = participants(json);
        } else if (field.equals("segments")) {
          expect(JsonToken.START_ARRAY, value);
          return new DocumentText(
              summary,
              requireNonNull(participants, "a document has no participants"),
              segments(json));
        } else {
          json.skipChildren();
        }
      }
      throw new IllegalStateException("a document has no segments");
    } catch (IOException notRendered) {
      throw new UncheckedIOException(notRendered);
    }
  }

  private static List<Participant> participants(JsonParser json) throws IOException {
    List<Participant> participants = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      expect(JsonToken.START_OBJECT, json.currentToken());
      participants.add(participant(json));
    }
    return participants;
  }

  private static Participant participant(JsonParser json) throws IOException {
    String label = null;
    Double confidence = null;
    long speechMs = 0;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "label" -> label = json.getText();
        case "match_confidence" ->
            confidence = value == JsonToken.VALUE_NULL ? null : json.getDoubleValue();
        case "speech_ms" -> speechMs = json.getLongValue();
        default -> json.skipChildren();
      }
    }
    return new Participant(
        requireNonNull(label, "a participant has no label"), null, confidence, speechMs);
  }

  private static List<Segment> segments(JsonParser json) throws IOException {
    List<Segment> segments = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      expect(JsonToken.START_OBJECT, json.currentToken());
      segments.add(segment(json));
    }
    return segments;
  }

  private static Segment segment(JsonParser json) throws IOException {
    long startMs = 0;
    long endMs = 0;
    String text = null;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      json.nextToken();
      switch (field) {
        case "start_ms" -> startMs = json.getLongValue();
        case "end_ms" -> endMs = json.getLongValue();
        case "text" -> text = json.getText();
        default -> json.skipChildren();
      }
    }
    return new Segment(startMs, endMs, null, requireNonNull(text, "a segment has no text"));
  }

  private static void expect(JsonToken expected, @Nullable JsonToken found) {
    if (found != expected) {
      throw new IllegalStateException("a document has " + found + " instead of " + expected);
    }
  }
}
