package io.egress.cli.mirror;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.egress.transcript.text.CaptureDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A page of the stream or of the changes, with the documents byte for byte as they were sent. */
record Page(List<Entry> entries, @Nullable String endCursor, boolean hasNext) {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * A capture of the stream, or a change.
   *
   * @param document null if the capture was erased
   */
  record Entry(UUID id, @Nullable CaptureDocument document) {}

  /** Fails for a body that is not a whole page. */
  static Page parse(byte[] body) throws IOException {
    try (JsonParser json = JSON.createParser(body)) {
      List<Entry> entries = null;
      PageInfo info = null;
      require(json.nextToken() == JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        json.nextToken();
        switch (field) {
          case "captures" -> entries = captures(json, body);
          case "changes" -> entries = changes(json, body);
          case "pageInfo" -> info = pageInfo(json);
          default -> json.skipChildren();
        }
      }
      if (entries == null || info == null || json.currentToken() != JsonToken.END_OBJECT) {
        throw broken();
      }
      return new Page(entries, info.endCursor(), info.hasNext());
    }
  }

  private record PageInfo(@Nullable String endCursor, boolean hasNext) {}

  private static List<Entry> captures(JsonParser json, byte[] body) throws IOException {
    List<Entry> entries = new ArrayList<>();
    require(json.currentToken() == JsonToken.START_ARRAY);
    while (json.nextToken() == JsonToken.START_OBJECT) {
      CaptureDocument document = document(json, body);
      entries.add(new Entry(document.id(), document));
    }
    return entries;
  }

  private static List<Entry> changes(JsonParser json, byte[] body) throws IOException {
    List<Entry> entries = new ArrayList<>();
    require(json.currentToken() == JsonToken.START_ARRAY);
    while (json.nextToken() == JsonToken.START_OBJECT) {
      entries.add(change(json, body));
    }
    return entries;
  }

  private static Entry change(JsonParser json, byte[] body) throws IOException {
    String id = null;
    String change = null;
    CaptureDocument document = null;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "id" -> id = json.getText();
        case "change" -> change = json.getText();
        case "capture" -> document = value == JsonToken.VALUE_NULL ? null : document(json, body);
        default -> json.skipChildren();
      }
    }
    require(change != null && change.equals("erased") == (document == null));
    UUID named = CaptureDocument.id(id);
    require(document == null || document.id().equals(named));
    return new Entry(named, document);
  }

  private static CaptureDocument document(JsonParser json, byte[] body) throws IOException {
    require(json.currentToken() == JsonToken.START_OBJECT);
    long start = json.currentTokenLocation().getByteOffset();
    json.skipChildren();
    long end = json.currentLocation().getByteOffset();
    return CaptureDocument.parse(Arrays.copyOfRange(body, (int) start, (int) end));
  }

  private static PageInfo pageInfo(JsonParser json) throws IOException {
    String endCursor = null;
    Boolean hasNext = null;
    require(json.currentToken() == JsonToken.START_OBJECT);
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "endCursor" -> endCursor = value == JsonToken.VALUE_STRING ? json.getText() : null;
        case "hasNextPage" -> hasNext = json.getBooleanValue();
        default -> json.skipChildren();
      }
    }
    if (hasNext == null || (hasNext && endCursor == null)) {
      throw broken();
    }
    return new PageInfo(endCursor, hasNext);
  }

  private static void require(boolean expected) throws IOException {
    if (!expected) {
      throw broken();
    }
  }

  private static IOException broken() {
    return new IOException("not a page of captures or changes");
  }
}
