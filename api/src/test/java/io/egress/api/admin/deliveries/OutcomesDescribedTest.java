package io.egress.api.admin.deliveries;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.send.FailureKind;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where the kinds of failure are listed for people. */
class OutcomesDescribedTest {
  @Test
  void theFilterListsAllOutcomes() {
    List<String> all =
        Stream.concat(
                Stream.of("delivered"), Arrays.stream(FailureKind.values()).map(FailureKind::word))
            .toList();

    JsonArray listed =
        Service.internalDescription()
            .getJsonObject("components")
            .getJsonObject("parameters")
            .getJsonObject("LastOutcome")
            .getJsonObject("schema")
            .getJsonArray("enum");
    assertThat(listed).isEqualTo(new JsonArray(all));
  }

  @ParameterizedTest
  @EnumSource
  void eachKindIsExplained(FailureKind kind) throws IOException {
    for (String page : List.of("metrics.md", "deliveries.md")) {
      assertThat(Files.readString(Path.of("..", "docs", page)))
          .as(page)
          .contains("`" + kind.word() + "`");
    }
  }
}
