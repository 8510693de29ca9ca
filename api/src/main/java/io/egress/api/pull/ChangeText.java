package io.egress.api.pull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.egress.platform.json.UtcInstant;
import java.io.UncheckedIOException;

/** What is around the document in the list of changes, in ASCII. */
final class ChangeText {
  static final String AFTER = "}";

  private static final ObjectWriter ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build().writer();

  private ChangeText() {}

  /** Up to the document, or, of an erased capture, all but {@link #AFTER}. */
  static String before(StreamPage.Entry entry, StreamPage.Change change) {
    String reason = change.erasedFor();
    return "{\"id\":\"%s\",\"change\":\"%s\",\"revision\":%s,\"changed_at\":\"%s\",\"reason\":%s,\"capture\":%s"
        .formatted(
            entry.captureId(),
            reason == null ? "updated" : "erased",
            reason == null ? entry.revision() : null,
            UtcInstant.format(change.at()),
            reason == null ? null : quoted(reason),
            reason == null ? "" : null);
  }

  private static String quoted(String text) {
    try {
      return ASCII.writeValueAsString(text);
    } catch (JsonProcessingException everyTextCanBeWritten) {
      throw new UncheckedIOException(everyTextCanBeWritten);
    }
  }
}
