package io.egress.bench.age;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.run.Standalone;
import io.egress.testing.DescribedCall;
import io.egress.testing.SharedBackends;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every statement of pages, lists, polls and loops on a database that is old, with what the server
 * has done for it: none reads, sorts or scans what grows with the age of the service.
 */
@Tag("full")
@Timeout(2_400)
class AgedPlansTest {
  private static final AgedDatabase.Size SIZE = new AgedDatabase.Size(60_000, 2, 40, 20);

  /** More than any page or chunk has. */
  private static final long ROWS_MAX = 1_200;

  private static final String SECRET_KEY = SecretBox.newKey();
  private static final String TOKEN = "test-token-of-the-internal-api";
  private static final Pattern LINK = Pattern.compile("(?:href|hx-get)=\"(/portal/[^\"#]+)\"");
  private static final int PAGES_MAX = 150;

  /** What reads all by its nature, by a part of its text, with the reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "as entries where coalesce(true",
              "a search of the audit log reads until it has found a page",
          "with ended as materialized",
              "a thousand rows are deleted at once, of a table that is not much larger here",
          "select oid::regclass::text from pg_class",
              "the catalog has a few rows for each day of the log, of which there are as many as are kept",
          "as exhausted_again", "the health of an endpoint looks at its newest 5,000 failures",
          "array_agg(position + 1 order by n) filter (where n <= 24)",
              "the chart of 24 hours looks at what failed in them");

  /** Each step waits beside all that the service does with the old data. */
  private static final Duration PASSED_MAX = Duration.ofMinutes(5);

  private final HttpClient http = HttpClient.newHttpClient();
  private final UUID workspace = AgedDatabase.workspace(0);
  private final Map<String, String> values = new HashMap<>();

  @Test
  void nothingGrowsWithTheAgeOfTheDatabase(@TempDir Path folder) throws Exception {
    try (PostgresServer postgres =
        PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED)) {
      String url = postgres.databaseUrl();
      AgedDatabase.fill(url, SIZE, SecretBox.parse(SECRET_KEY), _ -> {});
      findThings(url);
      expectKeys(url);
      ExplainedStatements.log(url);
      RunningProcess process = RunningProcess.begin();
      Standalone service = Standalone.start(process, settings(url));
      try {
        use(service, url);
      } finally {
        service.dispatcher().close().await();
        service.api().close().await();
      }
      assertThat(faults(folder.resolve("postgres/log"))).isEmpty();
    }
  }

  private void findThings(String url) throws SQLException {
    values.put("workspace", workspace.toString());
    values.put(
        "id",
        one(url, "select capture_id from stream where position = 30011 and workspace_id = '%s'"));
    values.put("captures", values.get("id"));
    values.put(
        "endpoints",
        one(
            url,
            "select id from endpoints where workspace_id = '%s' and not paused order by id limit 1"));
    values.put("api-keys", one(url, "select id from api_keys where workspace_id = '%s' limit 1"));
    values.put(
        "deliveries",
        one(
            url,
            "select d.id from deliveries d join endpoints e on e.id = d.endpoint_id where e.workspace_id = '%s' limit 1"));
    values.put(
        "replays",
        one(
            url,
            "select b.id from backfills b join endpoints e on e.id = b.endpoint_id where e.workspace_id = '%s' and b.origin = 'replay' limit 1"));
  }

  /** All of them, so that those that have stopped reading are looked for. */
  private void expectKeys(String url) throws SQLException {
    one(
        url,
        """
        with expected as (
          update api_keys set expect_within_ms = 300000, last_used_at = now() - interval '1 hour' returning 1)
        select count(*) from expected
        """);
  }

  private String one(String url, String sql) throws SQLException {
    try (Connection connection = AgedDatabase.connect(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(workspace))) {
      row.next();
      return row.getString(1);
    }
  }

  private static Settings settings(String url) {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment = new TreeMap<>();
    environment.put("EGRESS_DATABASE_URL", url);
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    environment.put("EGRESS_TOPIC_PARTITIONS", "2");
    environment.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_SECRET_KEY", SECRET_KEY);
    environment.put("EGRESS_RETENTION", "330d");
    return Settings.from(environment, environment);
  }

  private void use(Standalone service, String url) throws Exception {
    int port = service.api().internalPort();
    JsonObject description = new JsonObject(get(port, "/internal/v1/openapi.json").body());
    for (DescribedCall call : DescribedCall.of(description)) {
      if (call.method().equals("GET")) {
        Map<String, String> filled = new HashMap<>(values);
        filled.put("id", values.getOrDefault(call.collection(), values.get("id")));
        get(port, call.filledPath(filled));
        get(port, call.filledPath(filled) + call.filledQuery(Map.of("limit", "100")));
      }
    }
    visitPages(port, "/internal/v1/portal-links", "operator");
    visitPages(port, "/internal/v1/workspaces/" + workspace + "/portal-links", "admin");
    String key =
        post(
                port,
                "/internal/v1/workspaces/" + workspace + "/api-keys",
                new JsonObject().put("name", "pull"))
            .getString("key");
    for (String path :
        List.of(
            "/api/v1/captures?limit=100",
            "/api/v1/changes?limit=100",
            "/api/v1/captures/" + values.get("id"))) {
      http.send(
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + service.api().publicPort() + path))
              .header("authorization", "Bearer " + key)
              .build(),
          BodyHandlers.ofString());
    }
    sendUpdates(port, url);
    sendPages(port, url);
    await()
        .atMost(PASSED_MAX)
        .until(() ->
            Integer.parseInt(one(url, "select count(*) from api_keys where stopped_at is not null"))
                > 0);
    // The loops have begun with the service; the slowest one looks every minute.
    await().until(() -> Integer.parseInt(one(url, "select count(*) from pg_stat_activity")) > 0);
    await()
        .until(() ->
            get(port, "/metrics")
                .body()
                .lines()
                .filter(line ->
                    line.startsWith("egress_endpoints_behind{")
                        || line.startsWith("egress_endpoints_behind "))
                .noneMatch(line -> line.endsWith("NaN")));
  }

  /** Renames somebody of dozens of captures, for the endpoints that want updates. */
  private void sendUpdates(int port, String url) throws Exception {
    String member =
        one(url, "select c.members[1] from captures c where c.id = '" + values.get("id") + "'");
    JsonObject renamed =
        new JsonObject().put("workspace_id", workspace.toString()).put("name", "Renamed");
    send("PUT", port, "/internal/v1/members/" + member, renamed);
    String updates =
        "select count(*) from deliveries where endpoint_id = md5('endpoint 0 1')::uuid"
            + " and state = 'pending' and origin = 'update'";
    await().until(() -> Integer.parseInt(one(url, updates)) > 0);
  }

  /** To an endpoint that wants all of the history, and to one that wants nearly nothing of it. */
  private void sendPages(int port, String url) throws Exception {
    String endpoints = "/internal/v1/workspaces/" + workspace + "/endpoints";
    JsonObject stream =
        new JsonObject()
            .put("url", "https://receiver.invalid/")
            .put("delivery", "stream")
            .put(
                "events",
                new JsonArray(List.of("capture.processed", "capture.updated", "capture.erased")))
            .put("full_history", true);
    String all = post(port, endpoints, stream).getString("id");
    JsonObject filter = new JsonObject().put("devices", List.of(UUID.randomUUID().toString()));
    String none = post(port, endpoints, stream.copy().put("filter", filter)).getString("id");
    one(
        url,
        "with changed as (update turns set changes_position = 0, changes_read_up_to = 0 where endpoint_id = '"
            + none
            + "' returning 1) select count(*) from changed");
    String tried = "select count(*) from turns where failing_since is not null";
    await().atMost(PASSED_MAX).until(() -> Integer.parseInt(one(url, tried)) > 0);
    String passed = "select count(*) from turns where read_up_to > 3000";
    await().atMost(PASSED_MAX).until(() -> Integer.parseInt(one(url, passed)) > 0);
    String told = "select count(*) from turns where changes_read_up_to > 700 and endpoint_id = '";
    await().atMost(PASSED_MAX).until(() -> Integer.parseInt(one(url, told + none + "'")) > 0);
    logPages(url, all);
    for (String part :
        List.of("", "/pages", "/verification", "/pages?capture_id=" + values.get("id"))) {
      get(port, endpoints + "/" + all + part);
    }
    JsonObject reason = new JsonObject().put("reason", "test");
    String erased = send("DELETE", port, "/internal/v1/captures/" + values.get("id"), reason);
    assertThat(erased).contains("erased_at");
  }

  /** Those of captures far behind all that are looked for. */
  private void logPages(String url, String endpoint) throws SQLException {
    one(
        url,
        """
        with added as (
          insert into pages (day, id, endpoint_id, after_position, last_position, tried_up_to, documents, state, attempts, owed_at)
          select now()::date, gen_random_uuid(), '%s', 100000 + i, 100001 + i, 100001 + i, 1, 'delivered', 1, now()
          from generate_series(1, 40000) i returning 1)
        select count(*) from added
        """
            .formatted(endpoint));
  }

  private void visitPages(int port, String links, String role) throws Exception {
    String link =
        post(port, links, new JsonObject().put("role", role).put("actor", "test")).getString("url");
    HttpResponse<String> opened =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/portal/open"))
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("token=" + link.substring(link.indexOf('#') + 1)))
                .build(),
            BodyHandlers.ofString());
    String cookie = opened.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    Deque<String> unread =
        new ArrayDeque<>(List.of(opened.headers().firstValue("location").orElseThrow()));
    Set<String> seen = new HashSet<>(unread);
    for (int pages = 0; pages < PAGES_MAX && !unread.isEmpty(); pages++) {
      String page =
          http.send(
                  HttpRequest.newBuilder(
                          URI.create("http://127.0.0.1:" + port).resolve(unread.removeFirst()))
                      .header("cookie", cookie)
                      .build(),
                  BodyHandlers.ofString())
              .body();
      Matcher next = LINK.matcher(page);
      while (next.find()) {
        String target = next.group(1).replace("&amp;", "&");
        if (seen.add(target)) {
          unread.add(target);
        }
      }
    }
  }

  private HttpResponse<String> get(int port, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("authorization", "Bearer " + TOKEN)
            .build(),
        BodyHandlers.ofString());
  }

  private JsonObject post(int port, String path, JsonObject body) throws Exception {
    return new JsonObject(send("POST", port, path, body));
  }

  private String send(String method, int port, String path, JsonObject body) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("authorization", "Bearer " + TOKEN)
                .header("content-type", "application/json")
                .method(method, BodyPublishers.ofString(body.encode()))
                .build(),
            BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return answer.body();
  }

  private static Set<String> faults(Path logs) throws IOException {
    Set<String> faults = new TreeSet<>();
    AtomicInteger statements = new AtomicInteger();
    ExplainedStatements.read(
        logs,
        statement -> {
          statements.incrementAndGet();
          String text = statement.text();
          if (EXCEPTIONS.keySet().stream().noneMatch(text::contains)) {
            for (String fault : ExplainedStatements.faults(statement, ROWS_MAX)) {
              faults.add(fault + ": " + text.substring(0, Math.min(300, text.length())));
            }
          }
        });
    assertThat(statements).hasValueGreaterThan(100);
    return faults;
  }
}
