package io.egress.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.embedded.EmbeddedBackendException;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainerSourceTest {
  private static final String ASKED = "testcontainers";

  @Test
  void isOffByDefault() {
    assertThat(new ContainerSource(Map.of(), () -> true).postgres()).isEmpty();
    assertThat(source("embedded", true).kafka()).isEmpty();
  }

  @Test
  void fallsThroughIfNoEngineAnswers() {
    assertThat(source(ASKED, false).postgres()).isEmpty();
    assertThat(source(ASKED, false).kafka()).isEmpty();
  }

  @Test
  void reportsAnUnknownValue() {
    assertThatThrownBy(source("podman", true)::postgres)
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessage("EGRESS_TEST_BACKENDS is podman, not one of: embedded, testcontainers");
  }

  @Test
  void runsAServerUntilItIsClosed() throws Exception {
    assumeTrue(
        ASKED.equals(System.getenv(ContainerSource.SETTING)),
        "EGRESS_TEST_BACKENDS=testcontainers runs this one, with a Docker engine");
    String database;
    ContainerSource source = ContainerSource.of(System.getenv());
    try (BackendSource.Server postgres = source.postgres().orElseThrow();
        BackendSource.Server kafka = source.kafka().orElseThrow()) {
      database = postgres.address();
      Traces.leaveRow(database, "row");
      assertThat(Traces.rows(database)).containsExactly("row");
      Traces.leaveRecord(kafka.address(), "record");
      assertThat(Traces.records(kafka.address())).containsExactly("record");
    }
    assertThatThrownBy(() -> Traces.rows(database)).isInstanceOf(SQLException.class);
  }

  private static ContainerSource source(String asked, boolean engineAnswers) {
    return new ContainerSource(Map.of(ContainerSource.SETTING, asked), () -> engineAnswers);
  }
}
