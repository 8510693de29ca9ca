package io.egress.api.intake;

import static io.egress.api.intake.Bodies.capture;
import static io.egress.api.intake.Bodies.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A body that cannot be parsed is reported as one fault that shows none of its content. */
class WholeBodyTest {
  @ParameterizedTest
  @MethodSource
  void reportsOneFault(String body, String told) {
    assertThat(refused(body).summary()).isEqualTo(told);
  }

  static Stream<Arguments> reportsOneFault() {
    return Stream.of(
        arguments("", "the body is empty"),
        arguments(" \n", "the body is empty"),
        arguments("\uFEFF", "the body is empty"),
        arguments("null", "must be a JSON object, not null"),
        arguments("[]", "must be a JSON object, not an array"),
        arguments("[{}]", "must be a JSON object, not an array"),
        arguments("\"text\"", "must be a JSON object, not a string"),
        arguments("12", "must be a JSON object, not a number"),
        arguments("hello there", "not JSON, at line 1, column 7"),
        arguments("{", "not JSON: it ends too early, at line 1, column 2"),
        arguments("{\"mode\"", "not JSON: it ends too early, at line 1, column 8"),
        arguments("{\"mode\":}", "not JSON, at line 1, column 9"),
        arguments("{\n\"mode\": secret}", "not JSON, at line 2, column 16"),
        arguments("{\"mode\":NaN}", "not JSON, at line 1, column 12"),
        arguments("{\"mode\":01}", "not JSON, at line 1, column 10"),
        arguments("{'mode':1}", "not JSON, at line 1, column 2"),
        arguments("{\"a\":1,}", "not JSON, at line 1, column 8"),
        arguments("{\"title\":\"a\nb\"}", "not JSON, at line 1, column 12"),
        arguments("{/* none */}", "not JSON, at line 1, column 2"),
        arguments("{\"segments\":[5,{]}", "not JSON, at line 1, column 17"),
        arguments("{} x", "unexpected data after the JSON object, at line 1, column 5"),
        arguments("{}\n{}", "unexpected data after the JSON object, at line 2, column 2"),
        arguments("{\"mode\":1,\"mode\":2}", "mode: is given twice"),
        arguments("{\"segments\":[],\"segments\":[1]}", "segments: is given twice"),
        arguments("{\"device\":{\"id\":1,\"id\":1}}", "device.id: is given twice"),
        arguments(
            "{\"segments\":[{},{\"text\":\"\",\"text\":\"\"}]}",
            "segments[1].text: is given twice"),
        arguments(
            "{\"participants\":[{\"member\":{\"id\":1,\"id\":1}}]}",
            "participants[0].member.id: is given twice"));
  }

  @Test
  void refusesDeepNestingWhereverItIs() {
    String deep = "[".repeat(5_000) + "]".repeat(5_000);

    assertThat(refused("{\"device\":" + deep + "}").summary()).startsWith("nested deeper than 32");
    assertThat(refused("{\"unknown\":" + deep + "}").summary()).startsWith("nested deeper than 32");
  }

  @Test
  void refusesNumbersThatAreExpensiveToParse() {
    assertThat(refused("{\"duration_ms\":" + "9".repeat(1_001) + "}").summary())
        .startsWith("a number or a field name is far too long");
  }

  @Test
  void reportsThePositionOfInvalidUtf8() {
    Buffer body = Buffer.buffer("{\"title\":\"caf").appendByte((byte) 0xE9).appendString("\"}");

    assertThat(refused(CaptureBody.read(body, Bodies.ID)).summary())
        .isEqualTo("not UTF-8, from byte 14 on");
  }

  @Test
  void acceptsNoOtherEncoding() {
    byte[] utf16 = capture().encode().getBytes(StandardCharsets.UTF_16BE);

    assertThat(refused(CaptureBody.read(Buffer.buffer(utf16), Bodies.ID)).summary())
        .startsWith("not JSON");
  }
}
