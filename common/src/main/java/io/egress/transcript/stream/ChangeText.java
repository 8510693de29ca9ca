package io.egress.transcript.stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.egress.platform.json.UtcInstant;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is around the document in the list of changes, in ASCII. */
public final class ChangeText {
  public static final String AFTER = "}";

  private static final ObjectWriter ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build().writer();

  private ChangeText() {}

  /**
   * Up to the document, or, of an erased capture, all but {@link #AFTER}.
   *
   * @param revision of the document
   * @param reason of the erasure; null if the capture was not erased
   */
  public static String before(
      UUID captureId, Instant changedAt, long revision, @Nullable String reason) {
    return "{\"id\":\"%s\",\"change\":\"%s\",\"revision\":%s,\"changed_at\":\"%s\",\"reason\":%s,\"capture\":%s"
        .formatted(
            captureId,
            reason == null ? "updated" : "erased",
            reason == null ? revision : null,
            UtcInstant.format(changedAt),
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
