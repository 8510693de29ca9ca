package io.egress.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.egress.platform.log.LineEncoder.Form;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * One JSON object per line. All non-ASCII characters are escaped, so that no reader mistakes one
 * for a line end.
 */
final class JsonForm implements Form {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final int LENGTH_EXPECTED = 256;

  @Override
  public String write(ILoggingEvent event) {
    StringWriter line = new StringWriter(LENGTH_EXPECTED);
    try (JsonGenerator json = JSON.createGenerator(line)) {
      json.writeStartObject();
      json.writeStringField("time", LineTime.of(event.getInstant()));
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("logger", event.getLoggerName());
      json.writeStringField("message", event.getFormattedMessage());
      List<KeyValuePair> pairs = event.getKeyValuePairs();
      if (pairs != null) {
        for (KeyValuePair pair : pairs) {
          if (pair.value != null) {
            writeValue(json, pair);
          }
        }
      }
      IThrowableProxy thrown = event.getThrowableProxy();
      if (thrown != null) {
        json.writeStringField("exception", ThrowableProxyUtil.asString(thrown));
      }
      json.writeEndObject();
    } catch (IOException impossibleInMemory) {
      throw new UncheckedIOException(impossibleInMemory);
    }
    return line.toString();
  }

  private static void writeValue(JsonGenerator json, KeyValuePair pair) throws IOException {
    json.writeFieldName(pair.key);
    if (pair.value instanceof Integer || pair.value instanceof Long) {
      json.writeNumber(((Number) pair.value).longValue());
    } else if (pair.value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else {
      json.writeString(pair.value.toString());
    }
  }
}
