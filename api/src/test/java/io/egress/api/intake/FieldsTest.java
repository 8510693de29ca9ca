package io.egress.api.intake;

import static io.egress.api.intake.Bodies.accepted;
import static io.egress.api.intake.Bodies.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.api.intake.BodyFaults.Fault;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldsTest {
  private static final Shape SHAPE = Shape.of("a", "b", "c", "d", "e", "f", "inner.a", "inner.b.c");

  @Test
  void readsEveryKindOfField() {
    String id = "7C9E6679-7425-40de-944b-e07fc1f90ae7";
    String body =
        "{'a':'','b':'%s','c':'2026-01-31T09:30:00Z','d':-3,'e':1e2,'f':true}".formatted(id);

    List<Object> values =
        accepted(
            read(
                body,
                fields ->
                    List.of(
                        fields.anyText("a", 9),
                        fields.uuid("b"),
                        fields.instant("c"),
                        fields.whole("d", -3, 3),
                        fields.number("e", 0, 100),
                        fields.flag("f"))));

    assertThat(values)
        .containsExactly(
            "", UUID.fromString(id), Instant.parse("2026-01-31T09:30:00Z"), -3L, 100.0, true);
  }

  @Test
  void reportsEveryMissingRequiredField() {
    assertThat(
            refused(
                    read(
                        "{'a':null,'inner':{}}",
                        fields -> {
                          fields.text("a", 9);
                          fields.uuid("b");
                          fields.instant("c");
                          fields.whole("d", 0, 9);
                          fields.number("e", 0, 9);
                          fields.flag("f");
                          Fields inner = fields.object("inner");
                          if (inner != null) {
                            inner.anyText("a", 9);
                            inner.object("b");
                          }
                          return "";
                        }))
                .kept())
        .extracting(Fault::toString)
        .containsExactly(
            "a: must not be null",
            "b: is required",
            "c: is required",
            "d: is required",
            "e: is required",
            "f: is required",
            "inner.a: is required",
            "inner.b: is required");
  }

  @Test
  void distinguishesNullFromAbsent() {
    Function<Fields, List<Boolean>> reader =
        fields -> List.of(fields.has("a"), fields.hasValue("a"), fields.optionalFlag("b", true));

    assertThat(accepted(read("{'a':null,'b':null}", reader))).containsExactly(true, false, true);
    assertThat(accepted(read("{'b':false}", reader))).containsExactly(false, false, false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'d':0} | d: must be an integer from 1 to 9, not 0",
        "{'d':-1} | d: must be an integer from 1 to 9, not -1",
        "{'d':10} | d: must be an integer from 1 to 9, not 10",
        "{'d':1.0} | d: must be an integer, not 1.0",
        "{'d':true} | d: must be an integer, not a boolean",
        "{'f':0} | f: must be true or false, not a number",
        "{'f':'true'} | f: must be true or false, not a string",
        "{'e':1e999} | e: must be from 0 to 1, not Infinity",
        "{'e':false} | e: must be a number, not a boolean",
        "{'inner':[]} | inner: must be an object, not an array",
        "{'inner':{'b':{'c':1}}} | inner.b.c: must be a string, not a number"
      })
  void reportsTheTypeOfAnOptionalField(String body, String told) {
    assertThat(
            refused(
                    read(
                        body,
                        fields -> {
                          fields.optionalWhole("d", 1, 9);
                          fields.optionalNumber("e", 0, 1);
                          fields.optionalFlag("f", false);
                          Fields inner = fields.optionalObject("inner");
                          Fields innermost = inner == null ? null : inner.optionalObject("b");
                          if (innermost != null) {
                            innermost.text("c", 9);
                          }
                          return "";
                        }))
                .summary())
        .isEqualTo(told);
  }

  @Test
  void anUndeclaredFieldIsABug() {
    assertThatThrownBy(() -> read("{'z':1}", fields -> fields.has("z")))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("z is not among the fields of the shape");
  }

  private static <T> Intake<T> read(String body, Function<Fields, T> reader) {
    return Intake.read(GivenBody.of(Buffer.buffer(body.replace('\'', '"'))), SHAPE, reader);
  }
}
