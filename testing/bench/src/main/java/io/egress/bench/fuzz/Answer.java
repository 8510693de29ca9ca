package io.egress.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A response of the service.
 *
 * @param headers keyed by lower-case name
 * @param body null if none was read, because the request may have been a HEAD
 */
record Answer(int status, Map<String, String> headers, @Nullable String body) {
  /** The receivers in the settings page import exceptions. */
  private static final List<Pattern> TRACES =
      List.of(
          Pattern.compile("\\bat (io|java|javax|jdk|sun|org|com)\\.[\\w.$]+\\("),
          Pattern.compile(
              "(?<!import |[\\w.])(io|java|javax|jdk|sun|org|com)\\.[\\w.$]+(Exception|Error)\\b"));

  private static final Pattern CLASS_NAME = Pattern.compile("[A-Z]\\w*Exception|\\bjava\\.");

  boolean isLast() {
    return headers.getOrDefault("connection", "").equalsIgnoreCase("close");
  }

  /** Patterns that no response may contain. */
  Optional<String> fault() {
    if (status >= 500 && status != 503) {
      return Optional.of("status " + status);
    }
    if (body == null || headers.containsKey("content-encoding")) {
      return Optional.empty();
    }
    String text = body;
    if (TRACES.stream().anyMatch(trace -> trace.matcher(text).find())) {
      return Optional.of("a stack trace: " + text);
    }
    if (status < 400) {
      return Optional.empty();
    }
    return headers.getOrDefault("content-type", "").startsWith("text/html")
        ? pageFault(text)
        : errorFault(text);
  }

  /** An error of the settings page. */
  private static Optional<String> pageFault(String text) {
    if (CLASS_NAME.matcher(text).find()) {
      return Optional.of("a class name: " + text);
    }
    return text.contains("</html>") ? Optional.empty() : Optional.of("not a page: " + text);
  }

  private Optional<String> errorFault(String text) {
    if (CLASS_NAME.matcher(text).find()) {
      return Optional.of("a class name: " + text);
    }
    try {
      JsonObject body = new JsonObject(new String(text.getBytes(ISO_8859_1), UTF_8));
      if (status == 503 && body.containsKey("checks")) {
        return Optional.empty();
      }
      JsonObject error = body.getJsonObject("error");
      boolean wellFormed =
          "application/json".equals(headers.get("content-type"))
              && error != null
              && !error.getString("message", "").isBlank()
              && error.getInteger("status", 0) == status;
      return wellFormed ? Optional.empty() : Optional.of("an error of another form: " + text);
    } catch (DecodeException | ClassCastException malformed) {
      return Optional.of("an error of another form: " + text);
    }
  }
}
