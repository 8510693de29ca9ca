package io.egress.capture;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The database format of segments: an array of {@code [start_ms,end_ms,speaker,text]}. */
final class SegmentsJson {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private SegmentsJson() {}

  static String write(List<Segment> segments) {
    StringWriter text = new StringWriter(64 * segments.size() + 2);
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartArray();
      for (Segment segment : segments) {
        json.writeStartArray();
        json.writeNumber(segment.startMs());
        json.writeNumber(segment.endMs());
        json.writeString(segment.speaker());
        json.writeString(segment.text());
        json.writeEndArray();
      }
      json.writeEndArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.toString();
  }

  static List<Segment> read(String text) {
    List<Segment> segments = new ArrayList<>();
    try (JsonParser json = JSON.createParser(text)) {
      expect(json, JsonToken.START_ARRAY);
      while (json.nextToken() == JsonToken.START_ARRAY) {
        long startMs = json.nextLongValue(0);
        long endMs = json.nextLongValue(0);
        String speaker = json.nextTextValue();
        segments.add(new Segment(startMs, endMs, speaker, json.nextTextValue()));
        expect(json, JsonToken.END_ARRAY);
      }
      if (json.currentToken() != JsonToken.END_ARRAY) {
        throw new IllegalArgumentException("segments hold " + json.currentToken());
      }
    } catch (IOException notWrittenHere) {
      throw new UncheckedIOException(notWrittenHere);
    }
    return segments;
  }

  private static void expect(JsonParser json, JsonToken token) throws IOException {
    if (json.nextToken() != token) {
      throw new IllegalArgumentException("segments hold " + json.currentToken());
    }
  }
}
