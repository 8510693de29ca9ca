package io.egress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DisplayWidthTest {
  @ParameterizedTest
  @CsvSource({
    "abc, 3",
    "Straße, 6",
    "会議, 4",
    "회의, 4",
    "ｱｲ, 2",
    "ＡＢ, 4",
    "e\u0301, 1",
    "a\u200bb, 2",
    "😀, 2",
    "שלום, 4"
  })
  void countsColumns(String text, int width) {
    assertThat(DisplayWidth.of(text)).isEqualTo(width);
  }

  @Test
  void cutsBetweenCharacters() {
    assertThat(DisplayWidth.cut("会議会議会議", 12)).isEqualTo("会議会議会議");
    assertThat(DisplayWidth.cut("会議会議会議", 10)).isEqualTo("会議会議…");
    assertThat(DisplayWidth.cut("😀😀😀😀", 6)).isEqualTo("😀😀…");
  }

  @Test
  void columnsOfATableStandBelowEachOther() {
    JsonArray rows =
        new JsonArray()
            .add(new JsonObject().put("title", "会議").put("id", "1"))
            .add(new JsonObject().put("title", "Talk").put("id", "2"));

    assertThat(TextTable.whole(List.of("title", "id"), rows).lines())
        .containsExactly("title  id", "会議   1", "Talk   2");
  }
}
