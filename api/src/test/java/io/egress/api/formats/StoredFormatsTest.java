package io.egress.api.formats;

import static io.egress.api.Service.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.api.portal.Browser;
import io.egress.platform.environment.SettingDescription;
import io.egress.settings.Settings;
import io.egress.testing.SharedBackends;
import io.egress.transcript.stream.Feed;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.StoredSpec;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever outlives a process, as each release has written it: the folder {@code formats} has a
 * sample of each. This build reads all of them, and writes what the newest one shows; a change of a
 * format needs a new sample, which {@code EGRESS_TEST_WRITE_FORMATS=<version>} writes.
 */
class StoredFormatsTest {
  private static final String WRITE = "EGRESS_TEST_WRITE_FORMATS";
  private static final Path FORMATS = Path.of("..", "formats");
  private static final String INTERNAL = "/internal/v1/";
  private static final String PUBLIC = "/api/v1/";

  /** Of the samples alone. */
  private static final String SECRET_KEY = "sample:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

  static Stream<Path> releases() throws IOException {
    try (Stream<Path> folders = Files.list(FORMATS)) {
      return folders.filter(Files::isDirectory).sorted().toList().stream();
    }
  }

  private static Path newest() throws IOException {
    return releases().reduce((_, later) -> later).orElseThrow();
  }

  @Test
  void aChangeOfTheSchemaNeedsASample() throws IOException {
    assertThat(StoredDatabase.schema(Service.shared().database))
        .as("write a sample with %s", WRITE)
        .isEqualTo(Files.readAllLines(newest().resolve("schema.txt")));
  }

  /** What is said of an endpoint is stored as JSON, of which the schema says nothing. */
  @Test
  void aPropertyOfAnEndpointNeedsASample() throws IOException {
    JsonObject stored =
        new JsonObject(Files.readString(newest().resolve("database.json")))
            .getJsonObject("tables")
            .getJsonArray("endpoints")
            .getJsonObject(0)
            .getJsonObject("spec");
    assertThat(StoredSpec.encode(EndpointSpec.of("https://example.com")).fieldNames())
        .as("write a sample with %s", WRITE)
        .containsExactlyInAnyOrderElementsOf(stored.fieldNames());
  }

  @ParameterizedTest
  @MethodSource("releases")
  void migrationsOfAReleaseNeverChange(Path release) throws IOException {
    assertThat(migrations()).containsAll(Files.readAllLines(release.resolve("migrations.txt")));
  }

  /** Digests and names, as {@code sha256sum} prints them. */
  private static List<String> migrations() throws IOException {
    Path folder = Path.of("..", "common", "src", "main", "resources", "db", "migration");
    List<String> lines = new ArrayList<>();
    try (Stream<Path> scripts = Files.list(folder)) {
      for (Path script : scripts.sorted().toList()) {
        String name = script.getFileName().toString();
        if (name.startsWith("V")) {
          lines.add(sha256(Files.readAllBytes(script)) + "  " + name);
        }
      }
    }
    return lines;
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** An environment that starts a release starts the next one, too. */
  @Test
  void settingsStayOrComeWithASample() throws IOException {
    assertThat(settings())
        .as("write a sample with %s", WRITE)
        .isEqualTo(Files.readAllLines(newest().resolve("settings.txt")));
  }

  @ParameterizedTest
  @MethodSource("releases")
  void settingsOfAReleaseAreKnown(Path release) throws IOException {
    assertThat(settings()).containsAll(Files.readAllLines(release.resolve("settings.txt")));
  }

  private static List<String> settings() {
    return Settings.descriptions().stream().map(SettingDescription::name).sorted().toList();
  }

  @Test
  void recordsAreWrittenAsBefore() throws IOException {
    for (Object each : records(newest())) {
      JsonObject record = (JsonObject) each;
      assertThat(written(record))
          .as("write a sample with %s", WRITE)
          .isEqualTo(record.getString("value"));
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void recordsOfAReleaseAreRead(Path release) throws IOException {
    assertThat(records(release)).isNotEmpty();
    for (Object each : records(release)) {
      JsonObject record = (JsonObject) each;
      assertThat(new JsonObject(written(record)))
          .isEqualTo(new JsonObject(record.getString("value")));
    }
  }

  private static JsonArray records(Path release) throws IOException {
    return new JsonArray(Files.readString(release.resolve("records.json")));
  }

  /** What this build writes of what it has read. */
  private static String written(JsonObject record) {
    Buffer value = Buffer.buffer(record.getString("value"));
    return record.getString("topic").equals("deliveries")
        ? Delivery.decode(value.getBytes()).encode().toString()
        : ProcessedCapture.decode(value, null).encode().toString();
  }

  /** Readers, administrators and browsers of that release go on, on the database that it left. */
  @ParameterizedTest
  @MethodSource("releases")
  void aDatabaseOfAReleaseIsServed(Path release) throws IOException {
    JsonObject sample = new JsonObject(Files.readString(release.resolve("database.json")));
    String url = SharedBackends.get().freshDatabase();
    migrate(url, sample.getString("migration"));
    Vertx vertx = Vertx.vertx();
    Pool pool = PgBuilder.pool().connectingTo(PgConnectOptions.fromUri(url)).using(vertx).build();
    StoredDatabase.load(pool, sample);
    await(pool.query("update idempotency_keys set created_at = now()").execute());
    await(
        pool.query(
                "update portal_sessions set used_at = now(), expires_at = now() + interval '1 hour'")
            .execute());
    await(vertx.close());

    try (Service service =
        Service.start(Map.of("EGRESS_DATABASE_URL", url, "EGRESS_SECRET_KEY", SECRET_KEY))) {
      for (Object each : sample.getJsonArray("calls")) {
        JsonObject call = (JsonObject) each;
        String expected = call.getString("answer");
        String answer = answer(service, call);
        assertThat(call.getString("path").startsWith(INTERNAL) ? known(expected, answer) : answer)
            .as(call.encode())
            .isEqualTo(expected);
      }
      Row endpoint = service.query("select id, secret from endpoints").iterator().next();
      assertThat(
              SecretBox.parse(SECRET_KEY)
                  .open(endpoint.getBuffer("secret").getBytes(), endpoint.getUUID("id")))
          .isEqualTo(sample.getString("secret"));
    }
  }

  /** Without the fields that an administrator's call did not have then. */
  private static String known(String expected, String answer) {
    int status = "200 ".length();
    return expected.startsWith("200 {") && answer.startsWith("200 {")
        ? answer.substring(0, status)
            + known(
                    new JsonObject(expected.substring(status)),
                    new JsonObject(answer.substring(status)))
                .encode()
        : answer;
  }

  private static JsonObject known(JsonObject expected, JsonObject answer) {
    JsonObject known = new JsonObject();
    answer.forEach(field -> {
      if (expected.containsKey(field.getKey())) {
        known.put(
            field.getKey(),
            field.getValue() instanceof JsonObject inner
                    && expected.getValue(field.getKey()) instanceof JsonObject then
                ? known(then, inner)
                : field.getValue());
      }
    });
    return known;
  }

  private static void migrate(String url, String version) {
    PgConnectOptions options = PgConnectOptions.fromUri(url);
    Flyway.configure()
        .dataSource(
            "jdbc:postgresql://%s:%d/%s"
                .formatted(options.getHost(), options.getPort(), options.getDatabase()),
            options.getUser(),
            options.getPassword())
        .target(version)
        .load()
        .migrate();
  }

  private static String answer(Service service, JsonObject call) {
    String path = call.getString("path");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    path.startsWith(PUBLIC) ? service.publicUrl(path) : service.internalUrl(path)))
            .method(
                call.getString("method", "GET"),
                BodyPublishers.ofString(call.getString("body", "")));
    call.getJsonObject("headers")
        .forEach(header -> request.header(header.getKey(), String.valueOf(header.getValue())));
    HttpResponse<String> response = Service.send(request);
    return response.statusCode()
        + (path.startsWith("/portal")
            ? ""
            : " " + response.body().replaceAll("\"emitted_at\":\"[^\"]*\"", "\"emitted_at\":\"\""));
  }

  // Writing a sample

  @Test
  @EnabledIfEnvironmentVariable(named = WRITE, matches = ".+")
  void writeASample() throws IOException {
    Path folder = Files.createDirectories(FORMATS.resolve(System.getenv(WRITE)));
    try (Service service = Service.start(Map.of("EGRESS_SECRET_KEY", SECRET_KEY))) {
      new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
      Sample sample = new Sample(service);
      sample.fill();
      Files.writeString(
          folder.resolve("schema.txt"),
          String.join("\n", StoredDatabase.schema(service.database)) + "\n");
      Files.writeString(
          folder.resolve("database.json"),
          StoredDatabase.dump(service.database)
                  .put("migration", StoredDatabase.migration(service.database))
                  .put("secret", sample.secret)
                  .put("calls", sample.calls)
                  .encodePrettily()
              + "\n");
    }
    Files.writeString(folder.resolve("migrations.txt"), String.join("\n", migrations()) + "\n");
    Files.writeString(folder.resolve("settings.txt"), String.join("\n", settings()) + "\n");
    Files.writeString(folder.resolve("records.json"), sampleRecords().encodePrettily() + "\n");
  }

  private static JsonArray sampleRecords() {
    JsonArray records = new JsonArray();
    Instant owed = Instant.parse("2026-11-27T10:00:00.123456Z");
    records.add(
        record(
            "captures.processed",
            new ProcessedCapture(id(1), 5_000_000_000L, id(2), owed).encode()));
    for (Delivery.Origin origin : Delivery.Origin.OF_CAPTURES) {
      boolean ofReplay = origin != Delivery.Origin.LIVE;
      records.add(
          record(
              "deliveries",
              new Delivery(
                      id(3),
                      id(4),
                      id(2),
                      5_000_000_000L,
                      ofReplay ? id(5) : null,
                      origin,
                      owed,
                      ofReplay ? 7 : 1,
                      ofReplay ? owed.plusSeconds(86_400) : owed,
                      ofReplay ? owed.plusSeconds(90_000) : null,
                      null)
                  .encode()));
    }
    Instant due = owed.plusSeconds(86_400);
    for (Feed feed : Feed.values()) {
      records.add(
          record("deliveries", Delivery.page(id(4), feed, 5_000_000_000L, 7, owed, due).encode()));
    }
    return records;
  }

  private static JsonObject record(String topic, Buffer value) {
    return new JsonObject().put("topic", topic).put("value", value.toString());
  }

  private static UUID id(int number) {
    return new UUID(0x4000, number);
  }

  /** A workspace with something of everything that is stored. */
  private static final class Sample {
    private final Service service;
    private final UUID workspace = id(10);
    private final JsonArray calls = new JsonArray();
    private String secret = "";

    private Sample(Service service) {
      this.service = service;
    }

    private void fill() {
      String of = "/internal/v1/workspaces/" + workspace;
      JsonObject member =
          new JsonObject()
              .put("id", id(20).toString())
              .put("name", "Ada")
              .put("email", "ada@example.com");
      service.put(id(30), capture("First, with a member", member));
      JsonObject named = new JsonObject().put("idempotency-key", "sample");
      String endpoint =
          create(
              of + "/endpoints",
              named,
              new JsonObject()
                  .put("url", "https://example.com/hook")
                  .put("headers", new JsonObject().put("x-tenant", "sample"))
                  .put("standard_webhooks", "ed25519")
                  .put(
                      "oauth2",
                      new JsonObject()
                          .put("token_url", "https://login.example.com/token")
                          .put("client_id", "sample")
                          .put("client_secret", "sample"))
                  .put("events", new JsonArray().add("capture.processed").add("capture.erased")));
      secret = new JsonObject(endpoint).getString("secret");
      UUID endpointId = UUID.fromString(new JsonObject(endpoint).getString("id"));
      String key =
          new JsonObject(create(of + "/api-keys", named, new JsonObject().put("name", "ETL")))
              .getString("key");
      for (int i = 31; i < 35; i++) {
        service.put(id(i), capture("Später, mit ぼ and 🎧 " + i, member));
      }
      service.internal(
          "PUT",
          "/internal/v1/members/" + id(20),
          new JsonObject()
              .put("workspace_id", workspace.toString())
              .put("name", "Ada King")
              .put("email", "ada@example.com"));
      Awaitility.await().until(() -> changes(key).size() == 5);
      service.internal(
          "DELETE", "/internal/v1/captures/" + id(33), new JsonObject().put("reason", "a request"));
      new WrittenOutcomes(service, workspace).write(endpointId, 0, 2, DeliveryState.DELIVERED);
      new WrittenOutcomes(service, workspace).write(endpointId, 2, 3, DeliveryState.EXHAUSTED);
      Browser browser = Browser.at(service, workspace, "admin");
      record(key);
      String page = "/portal/" + workspace;
      call("GET", page, new JsonObject().put("cookie", browser.cookie(page)), "");
    }

    private void record(String key) {
      JsonObject reader = new JsonObject().put("authorization", "Bearer " + key);
      for (String feed : List.of("captures", "changes")) {
        String first = call("GET", PUBLIC + feed + "?limit=2", reader, "");
        String cursor =
            new JsonObject(first.substring(4)).getJsonObject("pageInfo").getString("endCursor");
        call("GET", PUBLIC + feed + "?after=" + cursor, reader, "");
      }
      call("GET", PUBLIC + "captures/" + id(30), reader, "");
      call("GET", PUBLIC + "captures/" + id(33), reader, "");
      call("GET", PUBLIC + "inventory", reader, "");
      String of = "/internal/v1/workspaces/" + workspace;
      call("GET", of, internal(), "");
      call("GET", of + "/audit", internal(), "");
    }

    private JsonArray changes(String key) {
      return new JsonObject(service.pull("/api/v1/changes", key).body()).getJsonArray("changes");
    }

    /** The same call gets the same answer for a day. */
    private String create(String path, JsonObject headers, JsonObject body) {
      return call("POST", path, internal().mergeIn(headers), body.encode()).substring(4);
    }

    private static JsonObject internal() {
      return new JsonObject().put("authorization", "Bearer " + Service.TOKEN);
    }

    private String call(String method, String path, JsonObject headers, String body) {
      JsonObject call =
          new JsonObject()
              .put("method", method)
              .put("path", path)
              .put("headers", headers)
              .put("body", body);
      String answer = answer(service, call);
      calls.add(call.put("answer", answer));
      return answer;
    }

    private JsonObject capture(String title, JsonObject member) {
      return Service.conversation(workspace, member, "Grüße aus 東京.")
          .put("title", title)
          .put("summary", "What was said.")
          .put("ended_at", "2026-01-02T03:34:05Z")
          .put("duration_ms", 1_800_000);
    }
  }
}
