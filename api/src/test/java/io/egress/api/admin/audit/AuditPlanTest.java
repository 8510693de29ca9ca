package io.egress.api.admin.audit;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of a long audit log is read along an index, whatever is searched for. */
class AuditPlanTest {
  private static final int ENTRIES = 100_000;

  private static final UUID workspace = UUID.randomUUID();
  private static Service service;

  @BeforeAll
  static void start() {
    service = Service.start();
    fill();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource({
    "true, ''",
    "true, action=capture.put",
    "true, actor=ada",
    "true, action=capture.put&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z",
    "false, ''",
    "false, action=capture.put",
  })
  void aPageReadsFewRows(boolean ofWorkspace, String query) {
    AuditFilter filter = AuditFilter.from(ofWorkspace ? workspace : null, parameters(query), 100);

    JsonObject plan = plan(AuditEntries.statement(filter, 50));

    assertThat(plan.encode()).doesNotContain("Sort").doesNotContain("Seq Scan");
    assertThat(plan.getLong("Shared Hit Blocks") + plan.getLong("Shared Read Blocks"))
        .isLessThan(1_000);
  }

  @Test
  void everyConditionCounts() {
    assertThat(found("action=capture.put&actor=ada&to=2020-01-01T00:00:00Z")).isZero();
    assertThat(found("action=capture.put&actor=ada")).isEqualTo(50);
    assertThat(found("action=capture.other&actor=ada")).isZero();
    assertThat(found("actor=bob")).isZero();
    assertThat(found("thing_id=" + UUID.randomUUID())).isZero();
  }

  private int found(String query) {
    AuditFilter filter = AuditFilter.from(workspace, parameters(query), 100);
    return new AuditEntries(service.database).page(filter, 50).entries().size();
  }

  private static MultiMap parameters(String query) {
    MultiMap parameters = MultiMap.caseInsensitiveMultiMap();
    for (String each : query.split("&", -1)) {
      if (!each.isEmpty()) {
        parameters.add(each.split("=", 2)[0], each.split("=", 2)[1]);
      }
    }
    return parameters;
  }

  /** The plan that serves any parameters, as the service's sessions make them. */
  private JsonObject plan(AuditEntries.Statement statement) {
    SqlConnection session = Service.await(service.database.getConnection());
    try {
      String values =
          IntStream.range(0, statement.parameters().size())
              .mapToObj(statement.parameters()::getValue)
              .map(value -> value == null ? "null" : "'" + value + "'")
              .collect(joining(", "));
      Service.await(
          session
              .query("set plan_cache_mode = force_generic_plan; prepare page as " + statement.sql())
              .execute());
      JsonArray plan =
          (JsonArray)
              Service.await(
                      session
                          .query(
                              "explain (analyze, buffers, format json) execute page(%s)"
                                  .formatted(values))
                          .execute())
                  .iterator()
                  .next()
                  .getJson(0);
      return plan.getJsonObject(0).getJsonObject("Plan");
    } finally {
      Service.await(session.query("reset all; deallocate page").execute());
      Service.await(session.close());
    }
  }

  private static void fill() {
    service.query(
        """
        insert into audit (at, workspace_id, action, kind, actor, via, changes)
        select now() - n * interval '1 minute', '%1$s', case n %% 5 when 0 then 'capture.put' else 'capture.read' end,
          'capture', case n %% 10 when 0 then 'ada' end, 'api', '{}'
        from generate_series(1, %2$d) n;
        insert into audit (at, workspace_id, action, kind, via, changes)
        select now() - n * interval '1 minute', md5('w' || n %% 1000)::uuid, 'capture.read', 'capture', 'api', '{}'
        from generate_series(1, %2$d) n;
        analyze audit
        """
            .formatted(workspace, ENTRIES));
  }
}
