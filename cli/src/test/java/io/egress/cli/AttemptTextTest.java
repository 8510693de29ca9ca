package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AttemptTextTest {
  @Test
  void printsWhatWasSentAndWhatCameBack() {
    JsonObject request =
        new JsonObject()
            .put("emitted_at", "2026-11-22T19:00:00.123Z")
            .put("revision", 3L)
            .put("length", 812)
            .put("times", 2)
            .put("headers", new JsonArray().add(header("x-a", "b")).add(header("x-token", null)));
    JsonObject attempt =
        new JsonObject()
            .put("attempt", 2)
            .put("is_body_known", true)
            .put("detail", "the answer is no HTTP,\u001b whatever it is")
            .put("request", request)
            .put("answer_headers", new JsonArray().add(header("server", "ngi\u001bnx")))
            .put("answer", "not\u001b[31m now");

    assertThat(printed(attempt))
        .isEqualTo(
            """

            attempt 2: the answer is no HTTP,  whatever it is

            request of attempt 2, emitted_at 2026-11-22T19:00:00.123Z, revision 3, body of 812 bytes (--body 2), sent 2 times:
              x-a: b
              x-token: (withheld)

            answer to attempt 2:
              server: ngi nx

            not [31m now
            """);
  }

  @Test
  void printsNothingOfAnAttemptWithoutRequestAndAnswer() {
    assertThat(
            printed(
                new JsonObject()
                    .put("attempt", 1)
                    .put("is_body_known", false)
                    .put("answer_headers", new JsonArray())
                    .put("answer", "")))
        .isEmpty();
  }

  @Test
  void printsAllOfATest() {
    String detail = "certificate ".repeat(20);
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    AttemptText.printTest(
        new JsonObject()
            .put("outcome", "status")
            .put("detail", detail)
            .put("answer", "first line\n" + "second line ".repeat(20)),
        out);
    out.flush();

    assertThat(printed.toString())
        .contains(
            "detail   " + detail + "\n", "\nanswer:\nfirst line\n" + "second line ".repeat(20));
  }

  private static JsonObject header(String name, @Nullable String value) {
    return new JsonObject().put("name", name).put("value", value);
  }

  private static String printed(JsonObject attempt) {
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    AttemptText.print(attempt, out);
    out.flush();
    return VisibleText.lines(printed.toString());
  }
}
