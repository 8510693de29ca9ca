package io.egress.bench.age;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.egress.platform.database.Migrations;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.SigningSecrets;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.flywaydb.core.Flyway;

/**
 * Fills a database as months of life would have: by statements that make many rows each, which
 * takes a thousandth of the time that the hook would take.
 *
 * <p>Workspace 0 has more than half of all captures and most endpoints; the others share the rest.
 * What belongs to what follows from numbers: ids are hashes of them, so no statement has to look
 * one up.
 */
public final class AgedDatabase implements AutoCloseable {
  /**
   * How much there is.
   *
   * @param workspaces those besides the large one
   * @param endpoints of the large workspace
   */
  public record Size(long captures, int months, int workspaces, int endpoints) {
    public static final Size DEFAULT = new Size(10_000_000, 12, 1_000, 20);

    public Size withCaptures(long count) {
      return new Size(count, months, workspaces, endpoints);
    }

    long ofLarge() {
      return captures * 6 / 10;
    }

    long ofEachOther() {
      return Math.max(1, (captures - ofLarge()) / workspaces);
    }
  }

  /** What the delivery log keeps. */
  private static final int LOG_DAYS = 30;

  private static final long PART = 500_000;

  /**
   * Around what statements say of columns and functions that came with the second migration, so
   * that they are of the first release without it.
   */
  private static final Pattern SECOND = Pattern.compile("/\\*2|2\\*/");

  /** Names that the statements share. */
  private static final List<String> FUNCTIONS =
      List.of(
          """
          create function pg_temp.workspace(w bigint) returns uuid language sql immutable as $$
            select md5('workspace ' || w)::uuid $$
          """,
          """
          create function pg_temp.capture(w bigint, n bigint) returns uuid language sql immutable as $$
            select md5('capture ' || w || ' ' || n)::uuid $$
          """,
          """
          create function pg_temp.device(w bigint, n bigint) returns uuid language sql immutable as $$
            select md5('device ' || w || ' ' || n)::uuid $$
          """,
          """
          create function pg_temp.member(w bigint, n bigint) returns uuid language sql immutable as $$
            select md5('member ' || w || ' ' || n)::uuid $$
          """,
          """
          create function pg_temp.endpoint(w bigint, n bigint) returns uuid language sql immutable as $$
            select md5('endpoint ' || w || ' ' || n)::uuid $$
          """,
          // The first delivery of a capture, as the class DeliveryId computes it.
          """
          create function pg_temp.delivery(endpoint uuid, capture uuid) returns uuid language plpgsql immutable as $$
          declare
            hash bytea := substr(digest('\\x873683ba51554d0198fd4dd9cdd960d4'::bytea
              || (endpoint || '/' || capture)::bytea, 'sha1'), 1, 16);
          begin
            hash := set_byte(hash, 6, get_byte(hash, 6) & 15 | 80);
            hash := set_byte(hash, 8, get_byte(hash, 8) & 63 | 128);
            return encode(hash, 'hex')::uuid;
          end $$
          """,
          // Every seventh is a manual one.
          """
          create function pg_temp.mode(n bigint) returns text language sql immutable as $$
            select case when n % 7 = 0 then 'manual' else 'ambient' end $$
          """);

  private static final String WORKSPACES =
      """
      insert into workspaces (id, name, stream_head, stream_chain, retention_ms, created_at)
      select pg_temp.workspace(w), 'Workspace ' || w, %1$s, %1$s, case when w %% 50 = 49 then 15552000000 end,
        now() - interval '%2$d months'
      from generate_series(0, %3$d) w
      """;

  private static final String DEVICES =
      """
      insert into devices (workspace_id, id, name) select pg_temp.workspace(w), pg_temp.device(w, n), 'Room ' || n
      from generate_series(0, %d) w, generate_series(0, case when w = 0 then 199 else 4 end) n
      """;

  private static final String MEMBERS =
      """
      insert into members (workspace_id, id, name, email)
      select pg_temp.workspace(w), pg_temp.member(w, n), 'Member ' || n, 'member' || n || '@example.com'
      from generate_series(0, %d) w, generate_series(0, case when w = 0 then 999 else 9 end) n
      """;

  /** The rows of a part: {@code w} and {@code n}, with when the capture entered. */
  private static final String PART_OF =
      """
      from (select w, n, now() - interval '%3$d months' * (1 - n::float8 / h.head) as at
        from generate_series(%4$d, %5$d) w, lateral (select %1$s as head) h, generate_series(%6$d, least(%7$d, h.head)) n) as c
      """;

  private static final String CAPTURES =
      """
      insert into captures (id, workspace_id, device_id, mode, title, started_at, ended_at, duration_ms, members, speakers,
        digest, entered, created_at, updated_at)
      select pg_temp.capture(w, n), pg_temp.workspace(w), pg_temp.device(w, n % (case when w = 0 then 200 else 5 end)),
        pg_temp.mode(n), 'Conversation ' || n, at - interval '30 minutes', at, 1800000,
        array[pg_temp.member(w, n * 7919 % (case when w = 0 then 1000 else 10 end)), null], '{1,2}',
        sha256(int8send(n)), true, at, at
      """;

  private static final String STREAM =
      """
      insert into stream (workspace_id, position, capture_id, chain, entered_at /*2, mode, device_id 2*/)
      select pg_temp.workspace(w), n, pg_temp.capture(w, n), n, at
        /*2, pg_temp.mode(n), pg_temp.device(w, n % (case when w = 0 then 200 else 5 end)) 2*/
      """;

  /** The n-th endpoint of the large workspace: every fifth wants changes, and so on. */
  private static final String ENDPOINTS =
      """
      insert into endpoints (id, workspace_id, spec, secret, created_position, full_history, paused, paused_at,
        paused_reason, failing_since, created_at /*2, filters 2*/)
      select pg_temp.endpoint(w, n), pg_temp.workspace(w),
        jsonb_build_object('url', 'https://receiver-' || w || '-' || n || '.invalid/hook', 'description', 'Receiver ' || n,
          'events', case when n %% 5 = 1 then '["capture.processed", "capture.updated", "capture.erased"]'::jsonb
            else '["capture.processed"]' end)
          /*2 || case when n %% 7 = 2 then '{"filter": {"modes": ["manual"], "devices": null}}'::jsonb else '{}' end 2*/,
        '', 0, n %% 10 = 9, n %% 8 = 4, case when n %% 8 = 4 then now() - interval '20 days' end,
        case when n %% 8 = 4 then 'failing' end, case when n %% 8 = 3 then now() - interval '9 days' end,
        now() - interval '%d months'
        /*2, case when n %% 7 = 2 then '[{"after": 0, "filter": {"modes": ["manual"], "devices": null}}]'::jsonb else '[]' end 2*/
      from generate_series(0, %d) w, generate_series(0, case when w = 0 then %d else w %% 2 - 1 end) n
      """;

  private static final String KEYS =
      """
      insert into api_keys (id, workspace_id, name, hash, last_four, created_at, created_by, last_used_at)
      select md5('key ' || w || ' ' || n)::uuid, pg_temp.workspace(w), 'Key ' || n, sha256(('key ' || w || ' ' || n)::bytea), 'abcd',
        now() - interval '%d months', 'admin@example.com', now() - interval '1 minute' * n
      from generate_series(0, %d) w, generate_series(0, case when w = 0 then 49 else 1 end) n
      """;

  private static final String READERS =
      """
      update readers r set captures = int8multirange(int8range(1, greatest(2, w.stream_head)))
      from workspaces w where w.id = r.workspace_id
      """;

  /** One in fifty captures has changed, one in a thousand was erased. */
  private static final String CHANGES =
      """
      insert into changes (workspace_id, number, capture_id, changed_at, erased /*2, mode, device_id 2*/)
      select pg_temp.workspace(w), n / 50, pg_temp.capture(w, n), at + interval '1 hour', n %% 1000 = 0
        /*2, pg_temp.mode(n), pg_temp.device(w, n %% (case when w = 0 then 200 else 5 end)) 2*/
      %s where n %% 50 = 0
      """;

  private static final List<String> AFTER_CHANGES =
      List.of(
          """
          insert into change_marks (workspace_id, last_number, mark) select workspace_id, number, number from changes
          """,
          """
          insert into erasures (capture_id, workspace_id, erased_at, reason)
          select capture_id, workspace_id, changed_at, 'requested' from changes where erased
          """,
          """
          update captures c set title = null, speakers = '{}', members = '{}', digest = '', erased_at = e.erased_at, revision = 2
          from erasures e where e.capture_id = c.id
          """,
          """
          update documents d set revision = 9223372036854775807, renderer = 32767, length = 0, crc32 = 0, checksum = 0,
            deflated = '' from erasures e where e.capture_id = d.capture_id
          """,
          """
          insert into erased_spans (workspace_id, first_position, last_position)
          select s.workspace_id, s.position, s.position from erasures e join stream s on s.capture_id = e.capture_id
          """,
          """
          insert into change_heads (workspace_id, number, erased, erased_chain)
          select workspace_id, max(number), count(*) filter (where erased), 1 from changes group by 1
          """,
          """
          update captures c set revision = 2, updated_at = x.changed_at from changes x where x.capture_id = c.id and not x.erased
          """,
          "update documents d set revision = 2 from changes x where x.capture_id = d.capture_id and not x.erased");

  /** Of the days that the log keeps. */
  private static final String DELIVERIES =
      """
      insert into deliveries (day, id, endpoint_id, capture_id, position, origin, state, attempts, last_outcome,
        next_attempt_at, owed_at, updated_at)
      select (s.entered_at at time zone 'UTC')::date, pg_temp.delivery(e.id, s.capture_id), e.id, s.capture_id, s.position,
        'live', d.state, case d.state when 'skipped' then 0 when 'exhausted' then 7 when 'pending' then 3 else 1 end,
        case d.state when 'delivered' then 'delivered' when 'skipped' then null else 'status' end,
        case d.state when 'pending' then now() + interval '6 hours' * random() end, s.entered_at, s.entered_at
      from endpoints e join stream s on s.workspace_id = e.workspace_id
        cross join lateral (
          select case
            when e.paused and s.entered_at > e.paused_at then 'skipped'
            when e.failing_since < s.entered_at then case when s.entered_at > now() - interval '31 hours' then 'pending' else 'exhausted' end
            when s.position %% 997 = 0 then 'exhausted'
            else 'delivered' end as state) as d
      where s.entered_at >= date_trunc('day', now(), 'UTC') - interval '%d days' /*2 and admits(e.filters, s) 2*/
        and s.position between %d and %d
      """;

  private static final List<String> AFTER_DELIVERIES =
      List.of(
          """
          insert into attempts (day, delivery_id, attempt, started_at, duration_ms, outcome, status, revision, signature, length)
          select day, id, 1, owed_at, 40, last_outcome, case state when 'delivered' then 200 else 503 end, 1,
            't=1,v1=00', 900
          from deliveries where attempts > 0
          """,
          """
          insert into endpoint_hours (endpoint_id, hour, pending, delivered, exhausted, skipped, succeeded, failed, failures,
            newest, last_success_at, last_failure_at, last_failure)
          select endpoint_id, date_trunc('hour', owed_at, 'UTC'), count(*) filter (where state = 'pending'),
            count(*) filter (where state = 'delivered'), count(*) filter (where state = 'exhausted'),
            count(*) filter (where state = 'skipped'), count(*) filter (where last_outcome = 'delivered'),
            count(*) filter (where last_outcome <> 'delivered'),
            jsonb_build_object('status', count(*) filter (where last_outcome <> 'delivered')),
            right(string_agg((last_outcome = 'delivered')::integer::text, ''), 20),
            max(owed_at) filter (where last_outcome = 'delivered'), max(owed_at) filter (where last_outcome <> 'delivered'),
            '{"outcome": "status", "status": 503}'
          from deliveries where last_outcome is not null group by 1, 2
          """);

  /** Of the days before: everything was accepted but for what failed. */
  private static final String RECEIPTS =
      """
      insert into receipts (endpoint_id, day, delivered, updated, erased)
      select e.id, (s.entered_at at time zone 'UTC')::date, range_agg(int8range(s.position, s.position, '[]')), '{}', '{}'
      from endpoints e join stream s on s.workspace_id = e.workspace_id
      where s.entered_at < date_trunc('day', now(), 'UTC') - interval '%d days' and s.position %% 997 <> 0 /*2 and admits(e.filters, s) 2*/
      group by 1, 2
      """;

  private static final List<String> REST =
      List.of(
          """
          insert into reconciliations (endpoint_id, position, checked_at)
          select e.id, w.stream_head, now() from endpoints e join workspaces w on w.id = e.workspace_id
          """,
          // Of what changed, published, and of replays.
          """
          insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, published, created_at,
            finished_at)
          select gen_random_uuid(), e.id, 'update', x.number, x.number + 1, x.number, 1, x.changed_at, x.changed_at
          from endpoints e join changes x on x.workspace_id = e.workspace_id
          where e.spec->'events' ? 'capture.updated' and not x.erased
          """,
          """
          insert into backfills (id, endpoint_id, origin, first_position, next_position, last_position, published, created_by,
            created_at, finished_at)
          select gen_random_uuid(), e.id, 'replay', 1 + n, 11 + n, 10 + n, 10, 'admin@example.com', now() - interval '1 hour' * n,
            now() - interval '1 hour' * n
          from endpoints e, generate_series(1, 200) n
          """);

  private static final String AUDIT =
      """
      insert into audit (at, workspace_id, action, kind, thing_id, actor, via, changes)
      select now() - interval '%d months' * (1 - n::float8 / %2$d), pg_temp.workspace(case when n %% 2 = 0 then 0 else n %% %3$d end),
        case n %% 3 when 0 then 'captures.expired' when 1 then 'endpoint.changed' else 'delivery.redelivered' end,
        case n %% 3 when 0 then 'workspace' when 1 then 'endpoint' else 'delivery' end, gen_random_uuid(),
        case when n %% 3 > 0 then 'member' || n %% 40 || '@example.com' end,
        case when n %% 3 = 0 then 'system' else 'api' end, '{"captures": 100}'
      from generate_series(1, %2$d) n
      """;

  private final String url;
  private final Connection connection;
  private final Size size;
  private final int migrations;
  private final SecretBox secrets;
  private final Consumer<String> progress;

  private AgedDatabase(
      String url,
      Connection connection,
      Size size,
      int migrations,
      SecretBox secrets,
      Consumer<String> progress) {
    this.url = url;
    this.migrations = migrations;
    this.secrets = secrets;
    this.connection = connection;
    this.size = size;
    this.progress = progress;
  }

  /**
   * Migrates and fills it; blocks. {@code secrets} seals the endpoints' signing secrets, and {@code
   * progress} gets the name of each step.
   */
  public static void fill(String url, Size size, SecretBox secrets, Consumer<String> progress)
      throws SQLException {
    fill(url, size, AgedData.NEWEST, secrets, progress);
  }

  /** The same with the schema of a release that has so many {@code migrations}. */
  static void fill(
      String url, Size size, int migrations, SecretBox secrets, Consumer<String> progress)
      throws SQLException {
    if (migrations == AgedData.NEWEST) {
      Migrations.run(url);
    } else {
      String[] account = account(url);
      Flyway.configure()
          .dataSource(jdbcUrl(url), account[0], account[1])
          .target(Integer.toString(migrations))
          .load()
          .migrate();
    }
    try (AgedDatabase aged =
        new AgedDatabase(url, connect(url), size, migrations, secrets, progress)) {
      aged.fill();
    }
  }

  /** The id of a workspace; that of 0 is the large one's. */
  public static UUID workspace(int number) {
    try {
      ByteBuffer hash =
          ByteBuffer.wrap(
              MessageDigest.getInstance("MD5").digest(("workspace " + number).getBytes(US_ASCII)));
      return new UUID(hash.getLong(), hash.getLong());
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  static Connection connect(String url) throws SQLException {
    String[] account = account(url);
    return DriverManager.getConnection(jdbcUrl(url), account[0], account[1]);
  }

  private static String[] account(String url) {
    return URI.create(url).getUserInfo().split(":", 2);
  }

  private static String jdbcUrl(String url) {
    URI parts = URI.create(url);
    return "jdbc:postgresql://"
        + parts.getAuthority().replaceFirst("^[^@]*@", "")
        + parts.getPath();
  }

  private void fill() throws SQLException {
    run("set synchronous_commit = off; set work_mem = '128MB'; set maintenance_work_mem = '512MB'");
    run("create extension if not exists pgcrypto");
    for (String function : FUNCTIONS) {
      run(function);
    }
    step("workspaces", WORKSPACES.formatted(head("w"), size.months(), size.workspaces()));
    step("devices", DEVICES.formatted(size.workspaces()));
    step("members", MEMBERS.formatted(size.workspaces()));
    inParts("captures", CAPTURES);
    inParts("stream", STREAM);
    begin("documents");
    try (Connection reading = connect(url)) {
      AgedDocuments.write(reading, connection);
    }
    makeLogDays();
    endpoints();
    step("keys", KEYS.formatted(size.months(), size.workspaces()));
    step("readers", READERS);
    inParts("changes", CHANGES, "");
    step("erasures", AFTER_CHANGES);
    deliveries();
    step("attempts and hours", AFTER_DELIVERIES);
    step("receipts", RECEIPTS.formatted(LOG_DAYS));
    step("backfills", REST);
    step("audit", AUDIT.formatted(size.months(), size.captures() / 10, size.workspaces()));
    begin("statistics");
    run("vacuum analyze");
    run("checkpoint");
  }

  private void endpoints() throws SQLException {
    step("endpoints", ENDPOINTS.formatted(size.months(), size.workspaces(), size.endpoints() - 1));
    try (Statement reading = connection.createStatement();
        ResultSet rows = reading.executeQuery("select id from endpoints");
        PreparedStatement writing =
            connection.prepareStatement("update endpoints set secret = ? where id = ?")) {
      while (rows.next()) {
        UUID id = rows.getObject(1, UUID.class);
        writing.setBytes(1, secrets.seal(SigningSecrets.generate(), id));
        writing.setObject(2, id);
        writing.addBatch();
      }
      writing.executeBatch();
    }
  }

  private String head(String workspace) {
    return "(case when %s = 0 then %d else %d end)::bigint"
        .formatted(workspace, size.ofLarge(), size.ofEachOther());
  }

  /** The days of the log, as the delivery log's maintenance names them. */
  private void makeLogDays() throws SQLException {
    begin("days of the log");
    for (String table : List.of("deliveries", "attempts")) {
      run(
          """
          do $$
          declare
            day date;
          begin
            for day in select generate_series(-%2$d, 3) + (now() at time zone 'UTC')::date loop
              execute format('create table if not exists %1$s_%%s partition of %1$s for values from (%%L) to (%%L)',
                to_char(day, 'YYYYMMDD'), day, day + 1);
            end loop;
          end $$
          """
              .formatted(table, LOG_DAYS));
    }
  }

  private void deliveries() throws SQLException {
    begin("deliveries");
    long part = Math.max(1, PART / size.endpoints());
    for (long from = 1; from <= size.ofLarge(); from += part) {
      run(DELIVERIES.formatted(LOG_DAYS, from, from + part - 1));
    }
  }

  private void inParts(String name, String insert) throws SQLException {
    inParts(name, insert + "%s", " ");
  }

  /** {@code statement} has a place for the rows of a part. */
  private void inParts(String name, String statement, String end) throws SQLException {
    begin(name);
    for (long from = 1; from <= size.ofLarge(); from += PART) {
      run(statement.replace("%s", part(0, 0, from, from + PART - 1)).replace("%%", "%") + end);
    }
    long workspaces = Math.max(1, PART / size.ofEachOther());
    for (long from = 1; from <= size.workspaces(); from += workspaces) {
      long to = Math.min(size.workspaces(), from + workspaces - 1);
      run(statement.replace("%s", part(from, to, 1, size.ofEachOther())).replace("%%", "%") + end);
    }
  }

  private String part(long fromWorkspace, long toWorkspace, long from, long to) {
    return PART_OF.formatted(head("w"), "", size.months(), fromWorkspace, toWorkspace, from, to);
  }

  private void step(String name, String statement) throws SQLException {
    step(name, List.of(statement));
  }

  private void step(String name, List<String> statements) throws SQLException {
    begin(name);
    for (String statement : statements) {
      run(statement);
    }
  }

  private void begin(String name) {
    progress.accept(name);
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(migrations == 1 ? sql : SECOND.matcher(sql).replaceAll(""));
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
