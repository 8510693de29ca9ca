package io.egress.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.embedded.DatabaseAddress;
import io.egress.platform.environment.SettingsException;
import io.egress.testing.DatabaseRoles;
import io.egress.testing.SharedBackends;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A role owns the tables, and another one serves. */
class DatabaseRolesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String REFUSED = "42501";

  private final Vertx vertx = Vertx.vertx();
  private final String superuser = SharedBackends.get().freshDatabase();
  private DatabaseRoles roles;

  @BeforeEach
  void createRoles() throws Exception {
    roles = new DatabaseRoles(superuser);
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
    roles.close();
  }

  @Test
  void aProcessOfBothMigratesAndGrants() throws Exception {
    Database database = database(roles.serviceUrl(), roles.ownerUrl());

    await(database.migrate());

    assertThat(database.owner()).isPresent().get().isNotSameAs(database);
    assertThat(
            service(
                "insert into outbox (workspace_id, position, capture_id, entered_at) values"
                    + " (gen_random_uuid(), 1, gen_random_uuid(), now()) returning sequence"))
        .containsExactly("1");
    assertThat(
            service(
                "select tablename from pg_tables where schemaname = 'public' and tableowner <> '%s'"
                    .formatted(roles.owner())))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit set actor = 'x'",
        "delete from audit",
        "truncate audit",
        "update stream set position = 1",
        "update stream set chain = 1",
        "delete from stream",
        "truncate stream",
        "delete from captures",
        "truncate deliveries",
        "update erasures set reason = 'x'",
        "delete from change_marks",
        "delete from flyway_schema_history",
        "alter table audit disable trigger audit_is_insert_only",
        "drop trigger stream_is_insert_only on stream",
        "drop table audit",
        "drop function enter_changes(uuid[])",
        "create table mine (n int)",
        "create temporary table mine (n int)",
        "create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'",
        "set session_replication_role = replica",
        "create role another",
      })
  void theRoleThatServesMayNot(String statement) throws Exception {
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    assertThatThrownBy(() -> service(statement))
        .isInstanceOfSatisfying(
            SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo(REFUSED));
  }

  /** So that a table whose trigger refuses changes is not forgotten in privileges.sql. */
  @Test
  void privilegesAreThoseThatTriggersAllow() throws Exception {
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    String refusing =
        "from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid"
            + " where p.proname like 'refuse_%'";
    assertThat(service("select distinct c.relname " + refusing + " order by 1"))
        .containsExactly("audit", "captures", "change_marks", "erasures", "stream");
    assertThat(
            service(
                "select c.relname, e.event "
                    + refusing.replace(
                        " where ",
                        " cross join (values (8, 'delete'), (16, 'update'), (32, 'truncate')) e(bit, event) where ")
                    + " and t.tgtype & e.bit > 0 and has_table_privilege(c.oid, e.event)"))
        .isEmpty();
    assertThat(
            service(
                "select a.attname from pg_attribute a where a.attrelid = 'stream'::regclass and a.attnum > 0"
                    + " and has_column_privilege(a.attrelid, a.attnum, 'update') and exists (select "
                    + refusing
                    + " and c.relname = 'stream' and a.attnum = any(t.tgattr))"))
        .isEmpty();
  }

  @Test
  void aTableOfALaterMigrationIsUsableAtOnce() throws Exception {
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    run(roles.ownerUrl(), "create table later (n int); create view latest as select * from later");

    assertThatCode(() -> service("insert into later values (1) returning n"))
        .doesNotThrowAnyException();
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());
    assertThat(
            service(
                "select has_table_privilege('latest', 'insert'), has_table_privilege('later', 'delete')"))
        .containsExactly("f");
    assertThat(service("select n from later")).containsExactly("1");
  }

  /** As an installation of one role becomes one of two: the former role stays the owner. */
  @Test
  void tablesThatAreThereGetTheirPrivileges() throws Exception {
    await(database(roles.ownerUrl(), null).migrate());
    run(roles.ownerUrl(), "grant all on audit to " + roles.service());

    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    assertThat(service("select has_table_privilege('audit', 'delete'), 1")).containsExactly("f");
    assertThat(service("select count(*) from captures")).containsExactly("0");
    assertThat(roles(roles.ownerUrl())).isTrue();
  }

  @Test
  void nothingIsGrantedAgain() throws Exception {
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());
    List<String> before = service("select string_agg(xmin::text, ' ' order by oid) from pg_class");

    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    assertThat(service("select string_agg(xmin::text, ' ' order by oid) from pg_class"))
        .isEqualTo(before);
  }

  @Test
  void aProcessWithoutTheOwnerWaitsForOneThatMigrates() throws Exception {
    Database api = database(roles.serviceUrl(), null);

    Future<Void> waiting = api.migrateOrWait();
    await(database(roles.serviceUrl(), roles.ownerUrl()).migrate());

    await(waiting);
    assertThat(api.owner()).isEmpty();
  }

  @Test
  void aProcessThatMaintainsTheTablesNeedsTheOwner() {
    assertThatThrownBy(() -> await(database(roles.serviceUrl(), null).migrate()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("EGRESS_DATABASE_OWNER_URL is required");
  }

  @Test
  void oneRoleForEverythingStays() throws Exception {
    Database database = database(superuser, null);

    await(database.migrate());

    assertThat(database.owner()).containsSame(database);
  }

  @Test
  void theUrlsLeadToOneDatabase() {
    String other = SharedBackends.get().freshDatabase();

    assertThatThrownBy(() -> await(database(roles.serviceUrl(), other).migrate()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("leads to another database");
  }

  @Test
  void aWrongPasswordOfTheOwnerIsNamed() {
    String wrong = roles.ownerUrl().replace("of-a-test", "wrong");

    assertThatThrownBy(() -> await(database(roles.serviceUrl(), wrong).migrate()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("EGRESS_DATABASE_OWNER_URL: ");
  }

  private Database database(String url, @Nullable String ownerUrl) {
    return Database.of(
        vertx,
        new DatabaseSettings(
            url,
            ownerUrl,
            8,
            DatabaseSettings.Pooler.NONE,
            null,
            new DatabaseSettings.Timeouts(PATIENCE, PATIENCE, PATIENCE, PATIENCE)));
  }

  private boolean roles(String url) throws SQLException {
    return run(url, "select pg_has_role('%s', 'usage')".formatted(roles.owner())).contains("t");
  }

  private List<String> service(String sql) throws SQLException {
    return run(roles.serviceUrl(), sql);
  }

  /** The first column. */
  private static List<String> run(String url, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = DatabaseAddress.parse(url).connect();
        Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        try (ResultSet rows = statement.getResultSet()) {
          while (rows.next()) {
            values.add(rows.getString(1));
          }
        }
      }
    }
    return values;
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(60, TimeUnit.SECONDS);
  }
}
