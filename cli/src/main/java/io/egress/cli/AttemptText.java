package io.egress.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** What an attempt sent and what came back, as text. */
final class AttemptText {
  private AttemptText() {}

  static void print(JsonObject attempt, PrintWriter out) {
    int number = attempt.getInteger("attempt");
    String detail = attempt.getString("detail");
    if (detail != null) {
      out.printf("%nattempt %d: %s%n", number, detail);
    }
    JsonObject request = attempt.getJsonObject("request");
    if (request != null) {
      out.printf(
          "%nrequest of attempt %d, emitted_at %s, revision %s, body of %d bytes%s%s:%n",
          number,
          request.getString("emitted_at"),
          request.getLong("revision"),
          request.getInteger("length"),
          attempt.getBoolean("is_body_known") ? " (--body " + number + ")" : "",
          times(request.getInteger("times", 1)));
      headers(request.getJsonArray("headers"), out);
    }
    JsonArray headers = attempt.getJsonArray("answer_headers");
    String answer = attempt.getString("answer");
    if (!headers.isEmpty() || (answer != null && !answer.isEmpty())) {
      out.printf("%nanswer to attempt %d:%n", number);
      headers(headers, out);
      if (answer != null && !answer.isEmpty()) {
        out.printf("%n%s%n", answer);
      }
    }
  }

  private static String times(int times) {
    return times == 1 ? "" : ", sent " + times + " times";
  }

  /** All of a test, whose answer may have many lines. */
  static void printTest(JsonObject test, PrintWriter out) {
    JsonObject fields = test.copy();
    String answer = (String) fields.remove("answer");
    out.print(TextTable.fields(fields));
    if (answer != null && !answer.isEmpty()) {
      out.printf("%nanswer:%n%s%n", answer);
    }
  }

  private static void headers(JsonArray headers, PrintWriter out) {
    for (int i = 0; i < headers.size(); i++) {
      JsonObject header = headers.getJsonObject(i);
      out.printf("  %s: %s%n", header.getString("name"), value(header.getString("value")));
    }
  }

  private static String value(@Nullable String value) {
    return value == null ? "(withheld)" : value;
  }
}
