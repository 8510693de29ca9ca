package io.egress.api.portal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndentedJsonTest {
  @Test
  void breaksLinesAndKeepsNumbersAndStrings() {
    assertThat(
            IndentedJson.of(
                "{\"a\":[1.0,-2E+3,12345678901234567890],\"b\":{\"c\":\"x,{}: \\\"y\\\\\"},\"d\":[ ],\"e\":{}}"))
        .isEqualTo(
            """
            {
              "a": [
                1.0,
                -2E+3,
                12345678901234567890
              ],
              "b": {
                "c": "x,{}: \\"y\\\\"
              },
              "d": [],
              "e": {}
            }\
            """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"\"", "[]", "null", "\"\\\\\"", "{}"})
  void keepsWhatHasNoParts(String json) {
    assertThat(IndentedJson.of(json)).isEqualTo(json);
  }
}
