package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.DatabaseAddress;
import io.egress.testing.DatabaseRoles;
import io.egress.testing.SharedBackends;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The whole service with a role that owns the tables, which the dispatcher may log in as and the
 * api may not, on a database that was empty.
 */
class TwoRolesTest {
  private static final Vertx vertx = Vertx.vertx();
  private static final String superuser = SharedBackends.get().freshDatabase();
  private static DatabaseRoles roles;
  private static BothRoles service;
  private static Inbox inbox;

  private final UUID workspace = UUID.randomUUID();

  @BeforeAll
  static void start() throws Exception {
    roles = new DatabaseRoles(superuser);
    inbox = new Inbox(vertx);
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_DATABASE_URL", roles.serviceUrl());
    Map<String, String> ofDispatcher = new HashMap<>(environment);
    ofDispatcher.put("EGRESS_DATABASE_OWNER_URL", roles.ownerUrl());
    service = new BothRoles(environment, ofDispatcher);
  }

  @AfterAll
  static void stop() throws Exception {
    service.close();
    BothRoles.done(vertx.close());
    roles.close();
  }

  @Test
  void capturesArePulledPushedChangedAndErased() throws Exception {
    UUID endpoint = service.endpoint(workspace, inbox.url("receiver"));
    String key = service.mintKey(workspace);
    Set<String> captures = service.finish(workspace, 5);

    await().untilAsserted(() -> assertThat(inbox.captures("receiver")).isEqualTo(captures));
    assertThat(service.documents(key, captures)).hasSize(captures.size());

    String erased = service.change(workspace, captures);
    await()
        .untilAsserted(() ->
            assertThat(service.pull("/api/v1/captures/" + erased, key).statusCode())
                .isEqualTo(410));
    await()
        .until(() ->
            service.pull("/api/v1/captures/" + captures.iterator().next(), key).statusCode() > 0);
    service.call(
        "POST",
        "/workspaces/" + workspace + "/endpoints/" + endpoint + "/rotate-secret",
        new JsonObject());
    assertThat(query("select count(*) from audit where workspace_id = '%s'".formatted(workspace)))
        .isNotEqualTo("0");
  }

  @Test
  @Tag("full")
  void whatIsTooOldIsErased() throws Exception {
    service.finish(workspace, 3);
    roles.execute(
        """
        alter table stream disable trigger stream_is_insert_only;
        update stream set entered_at = entered_at - interval '40 days' where workspace_id = '%s';
        alter table stream enable trigger stream_is_insert_only
        """
            .formatted(workspace));

    service.call("PATCH", "/workspaces/" + workspace, new JsonObject().put("retention", "30d"));

    await()
        .untilAsserted(() ->
            assertThat(
                    query(
                        "select count(*) from erasures where reason = 'retention' and workspace_id = '%s'"
                            .formatted(workspace)))
                .isEqualTo("3"));
  }

  @Test
  @Tag("full")
  void daysOfTheLogBeginAndEnd() throws Exception {
    assertThat(
            query(
                "select string_agg(distinct tableowner, ' ') from pg_tables where tablename like 'deliveries\\_2%'"))
        .isEqualTo(roles.owner());
    as(
        roles.ownerUrl(),
        "create table deliveries_20200101 partition of deliveries for values from ('2020-01-01') to ('2020-01-02')");

    await()
        .untilAsserted(() ->
            assertThat(
                    query(
                        "select count(*) from pg_class where relname in ('deliveries_20200101', 'ending_deliveries_20200101')"))
                .isEqualTo("0"));
  }

  @Test
  void indexesAreMadeInTheBackground() throws Exception {
    as(roles.ownerUrl(), "drop index backfills_open");

    await()
        .untilAsserted(
            () -> assertThat(query("select has_index('backfills_open')")).isEqualTo("t"));
  }

  @Test
  void tablesThatGrowAreAnalyzed() throws Exception {
    roles.execute(
        """
        insert into workspaces (id) values ('%1$s');
        insert into members (workspace_id, id) select '%1$s', gen_random_uuid() from generate_series(1, 5000)
        """
            .formatted(workspace));

    await()
        .untilAsserted(() ->
            assertThat(
                    query(
                        "select analyze_count > 0 from pg_stat_user_tables where relname = 'members'"))
                .isEqualTo("t"));
  }

  @Test
  void theDatabaseIsShown() {
    JsonObject shown = service.call("GET", "/database", new JsonObject());

    assertThat(shown.getJsonObject("server").getString("version")).isNotEmpty();
  }

  private static String query(String sql) throws SQLException {
    return as(superuser, sql);
  }

  /** The first value. */
  private static String as(String url, String sql) throws SQLException {
    try (Connection connection = DatabaseAddress.parse(url).connect();
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() ? String.valueOf(rows.getString(1)) : "";
      }
    }
  }
}
