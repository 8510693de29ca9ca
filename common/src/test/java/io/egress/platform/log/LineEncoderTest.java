package io.egress.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.egress.platform.log.LogSettings.Format;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LineEncoderTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FORGED =
      "all well\r\n2026-01-01T00:00:00.000Z ERROR Forged \u2028line";

  @Test
  void writesOneObjectALineWithIdsAtTheTop() throws Exception {
    LoggingEvent event = event("attempt failed", null);
    event.addKeyValuePair(new KeyValuePair("delivery_id", "d-1"));
    event.addKeyValuePair(new KeyValuePair("status", 503));
    event.addKeyValuePair(new KeyValuePair("absent", null));

    JsonNode line = JSON.readTree(only(lines(Format.JSON, event)));

    assertThat(names(line))
        .containsExactly("time", "level", "logger", "message", "delivery_id", "status");
    assertThat(line.path("time").textValue()).isEqualTo("2026-11-21T09:08:07.000Z");
    assertThat(line.path("level").textValue()).isEqualTo("INFO");
    assertThat(line.path("logger").textValue()).isEqualTo("io.egress.some.Thing");
    assertThat(line.path("status").intValue()).isEqualTo(503);
  }

  @Test
  void keepsAnExceptionOnTheLineInJson() throws Exception {
    String line = only(lines(Format.JSON, event(FORGED, new IllegalStateException(FORGED))));

    assertThat(line).isPrintable();
    assertThat(JSON.readTree(line).path("message").textValue()).isEqualTo(FORGED);
    assertThat(JSON.readTree(line).path("exception").textValue())
        .startsWith("java.lang.IllegalStateException: " + FORGED)
        .contains("\tat " + getClass().getName());
  }

  @Test
  void writesTextLines() {
    LoggingEvent event = event("delivered", null);
    event.addKeyValuePair(new KeyValuePair("delivery_id", "d-1"));
    event.addKeyValuePair(new KeyValuePair("word", "two \"words\""));

    assertThat(only(lines(Format.TEXT, event)))
        .isEqualTo(
            "2026-11-21T09:08:07.000Z INFO  Thing delivered delivery_id=d-1"
                + " word=\"two \\\"words\\\"\"");
  }

  @Test
  void preventsForgedLines() {
    LoggingEvent event = event(FORGED, new IllegalStateException(FORGED));
    event.addKeyValuePair(new KeyValuePair("id", FORGED));

    List<String> lines = lines(Format.TEXT, event);

    assertThat(lines).hasSizeGreaterThan(2);
    assertThat(lines.get(0)).contains("all well\\u000d\\n2026-01-01").contains("\\u2028");
    assertThat(lines.subList(1, lines.size())).allMatch(line -> line.startsWith("    "));
  }

  private static LoggingEvent event(String message, @Nullable Throwable thrown) {
    LoggingEvent event =
        new LoggingEvent(
            LineEncoderTest.class.getName(),
            new LoggerContext().getLogger("io.egress.some.Thing"),
            Level.INFO,
            message,
            thrown,
            null);
    event.setInstant(Instant.parse("2026-11-21T09:08:07Z"));
    return event;
  }

  private static List<String> lines(Format format, LoggingEvent event) {
    String written = new String(new LineEncoder(format).encode(event), StandardCharsets.UTF_8);
    assertThat(written).endsWith(System.lineSeparator());
    return written.lines().toList();
  }

  private static String only(List<String> lines) {
    assertThat(lines).hasSize(1);
    return lines.get(0);
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
