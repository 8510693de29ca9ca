package io.egress.bench.age;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class AgedCapturesTest {
  @Test
  void readsANumberAsItIsPrinted() {
    assertThat(AgedCaptures.parse("3000000", Map.of())).isEqualTo(3_000_000);
    assertThat(AgedCaptures.parse("3,000,000", Map.of())).isEqualTo(3_000_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"many", "9999", "-1", ""})
  void refusesWhatIsNoAge(String text) {
    assertThatThrownBy(() -> AgedCaptures.parse(text, Map.of()))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("must be a number of captures, at least 10000");
  }

  @Test
  void refusesAGivenDatabaseAndSaysWhatToDo() {
    assertThatThrownBy(() ->
            AgedCaptures.parse("20000", Map.of("EGRESS_DATABASE_URL", "postgresql://db/egress")))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("./egress age --database");
  }
}
