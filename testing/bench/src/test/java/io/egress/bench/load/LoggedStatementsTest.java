package io.egress.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoggedStatementsTest {
  @Test
  void countsExecutionsAndAddsWhatParsingAndPlanningTook() {
    List<LoggedStatements.Executed> executed =
        LoggedStatements.of(
            """
            2026-11-30 04:56:44.352 UTC [7] LOG:  duration: 0.100 ms  parse 0000002: select id from captures where id = any($1)
            2026-11-30 04:56:44.352 UTC [7] LOG:  duration: 0.050 ms  bind 0000002: select id from captures where id = any($1)
            2026-11-30 04:56:44.352 UTC [7] LOG:  duration: 0.250 ms  execute 0000002: select id from captures where id = any($1)
            2026-11-30 04:56:44.353 UTC [7] LOG:  could not receive data from client
            2026-11-30 04:56:44.353 UTC [7] LOG:  duration: 0.250 ms  execute 0000002: select id from captures where id = any($1)
            """);

    assertThat(executed).hasSize(1);
    assertThat(executed.getFirst().text()).isEqualTo("select id from captures where id = any($1)");
    assertThat(executed.getFirst().count()).isEqualTo(2);
    assertThat(executed.getFirst().millis()).isEqualTo(0.65);
  }

  /** PostgreSQL begins further lines of a statement with a tab. */
  @Test
  void knowsWhereAStatementOfSeveralLinesEnds() {
    List<LoggedStatements.Executed> executed =
        LoggedStatements.of(
            """
            2026-11-30 04:56:44.584 UTC [7] LOG:  duration: 0.500 ms  execute 0000005: with entry as (
            \t  select 1)
            \tselect * from entry
            \t
            2026-11-30 04:56:44.589 UTC [7] LOG:  duration: 0.025 ms  statement: BEGIN
            """);

    assertThat(executed)
        .extracting(LoggedStatements.Executed::text)
        .containsExactlyInAnyOrder("with entry as ( select 1) select * from entry", "BEGIN");
  }
}
