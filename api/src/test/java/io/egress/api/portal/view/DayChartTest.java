package io.egress.api.portal.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DayChartTest {
  @ParameterizedTest
  @CsvSource({
    "0, 1",
    "1, 1",
    "2, 2",
    "3, 5",
    "5, 5",
    "6, 10",
    "10, 10",
    "11, 20",
    "21, 50",
    "99, 100",
    "100, 100",
    "1234567, 2000000"
  })
  void theScaleIsTheNextRoundNumber(long most, long scale) {
    assertThat(DayChart.scale(most)).isEqualTo(scale);
  }
}
