package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.metrics.EndpointsBehind.Lateness;
import io.egress.api.portal.ServiceTroubles.Sources;
import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.egress.platform.backend.DatabaseState;
import io.egress.webhook.queue.Rebuild;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServiceTroublesTest {
  private static final Instant NOW = Instant.parse("2026-05-06T07:08:09Z");
  private static final String NO_WRITES = "takes no writes";
  private static final String AWAY = "cannot reach its database (PostgreSQL)";

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/" + workspace;

  @Test
  void areNoneIfNothingIsKnownToBeWrong() {
    assertThat(troubles(DatabaseState.WRITABLE, false, null, null).now(true)).isEmpty();
    assertThat(late(1, Duration.ofSeconds(90), NOW)).as("a slow minute").isEmpty();
    assertThat(late(0, Duration.ZERO, null)).isEmpty();
  }

  @Test
  void nameWhatIsAway() {
    assertThat(troubles(DatabaseState.UNAVAILABLE, false, null, null).now(false))
        .singleElement()
        .asString()
        .contains(AWAY);
    assertThat(troubles(DatabaseState.READ_ONLY, true, null, null).now(false))
        .hasSize(2)
        .satisfies(both -> assertThat(both.getFirst()).contains("PostgreSQL", NO_WRITES))
        .last()
        .asString()
        .contains("cannot reach its queue (Kafka)", "can be pulled");
  }

  @Test
  void tellLateFromNothingAtAll() {
    assertThat(late(1, Duration.ofMinutes(3), NOW.minusSeconds(1)))
        .singleElement()
        .asString()
        .contains("1 endpoint has waited for an attempt, for up to 3 min, while others get theirs");
    assertThat(late(12_000, Duration.ofHours(2), NOW.minusSeconds(121)))
        .singleElement()
        .asString()
        .contains("delivers nothing", "2026-05-06 07:06:08 UTC", "12,000 endpoints", "up to 2 h");
    assertThat(late(2, Duration.ofHours(9), null))
        .singleElement()
        .asString()
        .contains(
            "delivers nothing: it made no attempt in the last hour.", "2 endpoints have waited");
  }

  /** They may be those of another workspace. */
  @Test
  void tellAWorkspaceNothingOfSingleEndpoints() {
    assertThat(lateness(false, 2, Duration.ofMinutes(24), NOW.minusSeconds(1))).isEmpty();
    assertThat(lateness(false, 12_000, Duration.ofHours(2), null))
        .singleElement()
        .asString()
        .contains("delivers nothing")
        .doesNotContain("12,000", "endpoints", "2 h");
  }

  @ParameterizedTest
  @EnumSource(Rebuild.State.class)
  void includeARebuildOfTheQueueUntilWhatIsDueWasPublished(Rebuild.State state) {
    boolean isLate = state == Rebuild.State.REQUESTED || state == Rebuild.State.RUNNING;
    for (Rebuild.Reason reason : Rebuild.Reason.values()) {
      Rebuild rebuild = new Rebuild(1, reason, List.of(), state, NOW, 7, null, null);
      assertThat(troubles(DatabaseState.WRITABLE, false, rebuild, null).now(false))
          .allMatch(each -> each.contains("2026-05-06 07:08:09 UTC. Everything owed"))
          .hasSize(isLate ? 1 : 0);
    }
  }

  private static List<String> late(long endpoints, Duration oldest, @Nullable Instant attemptedAt) {
    return lateness(true, endpoints, oldest, attemptedAt);
  }

  private static List<String> lateness(
      boolean forOperator, long endpoints, Duration oldest, @Nullable Instant attemptedAt) {
    return troubles(
            DatabaseState.WRITABLE, false, null, new Lateness(endpoints, oldest, attemptedAt))
        .now(forOperator);
  }

  private static ServiceTroubles troubles(
      DatabaseState database,
      boolean kafkaAway,
      @Nullable Rebuild rebuild,
      @Nullable Lateness lateness) {
    return new ServiceTroubles(
        new Sources(() -> database, () -> kafkaAway, () -> rebuild, () -> lateness),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Test
  @Tag("full")
  void standOnTopOfEveryPage() {
    try (Service service = Service.start();
        Service away = service.twin(Map.of("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:1"))) {
      Browser admin = Browser.at(away, workspace, "admin");
      Browser operator = Browser.ofOperator(away, "grace");
      for (String path : List.of("", "/captures", "/live/troubles", "/" + workspace + "/keys")) {
        awaitShown(operator, "/portal/operator" + path, "The service cannot reach its queue");
      }
      for (String path :
          List.of("/", "/captures", "/keys", "/endpoints", "/audit", "/live/troubles")) {
        awaitShown(admin, page + path, "The service cannot reach its queue");
      }
      Browser well = Browser.at(service, workspace, "admin");
      assertThat(well.get(page + "/").body()).doesNotContain("cannot reach its queue");

      service.query("insert into queue_rebuilds (reason) values ('lost')");
      awaitShown(well, page + "/keys", "The queue of deliveries was lost at");
      String live = live(well.get(page + "/keys").body());
      assertThat(well.get(live).statusCode()).as("nothing has changed").isEqualTo(204);
      service.query("update queue_rebuilds set finished_at = now()");
      await()
          .untilAsserted(() ->
              assertThat(well.get(live).body())
                  .contains("id=\"troubles\"")
                  .doesNotContain("queue of deliveries was lost"));
    }
  }

  /** The request that the banner of a page sends. */
  private static String live(String html) {
    String attribute = "id=\"troubles\" hx-get=\"";
    int start = html.indexOf(attribute) + attribute.length();
    return html.substring(start, html.indexOf('"', start)).replace("&amp;", "&");
  }

  @Test
  @Tag("full")
  void sayThatTheDatabaseIsAwayWhereNoPageOpens(@TempDir Path folder) throws Exception {
    try (PostgresServer postgres =
            PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED);
        Service service = Service.start(Map.of("EGRESS_DATABASE_URL", postgres.databaseUrl()))) {
      Browser admin = Browser.at(service, workspace, "admin");
      Browser operator = Browser.ofOperator(service, "grace");
      String csrf = admin.csrf(page + "/");

      postgres.alter("set synchronous_standby_names = 'nobody'");
      awaitReadable(admin, "/keys", NO_WRITES);
      postgres.alter("reset synchronous_standby_names");
      awaitOpen(admin);

      postgres.alter("set default_transaction_read_only = on");
      awaitReadable(admin, "/keys", NO_WRITES);
      postgres.alter("reset default_transaction_read_only");
      awaitOpen(admin);

      postgres.kill();
      awaitReadable(admin, "/keys?x=1", AWAY, "href=\"" + page + "/keys?x=1\"");
      assertReadable(operator.get("/portal/operator"), AWAY);
      assertReadable(admin.post(page + "/keys", Map.of("csrf", csrf, "name", "x")), AWAY);
      HttpResponse<String> banner = admin.get(page + "/live/troubles");
      assertThat(banner.statusCode()).isEqualTo(200);
      assertThat(banner.body()).contains(AWAY);
      assertThat(live(banner.body())).startsWith(page + "/live/troubles?seen=");
      assertThat(admin.get(live(banner.body())).statusCode()).isEqualTo(204);
      assertThat(live(operator.get("/portal/operator/live/troubles").body()))
          .startsWith("/portal/operator/live/troubles?seen=");
    }
  }

  private void awaitReadable(Browser browser, String path, String... texts) {
    await().untilAsserted(() -> assertReadable(browser.get(page + path), texts));
  }

  private static void assertReadable(HttpResponse<String> answer, String... texts) {
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("<h1>Not available now</h1>").contains(texts);
  }

  private void awaitOpen(Browser browser) {
    await()
        .untilAsserted(() ->
            assertThat(browser.get(page + "/live/troubles").body())
                .contains("id=\"troubles\"")
                .doesNotContain("database"));
    assertThat(browser.get(page + "/").statusCode()).isEqualTo(200);
  }

  private static void awaitShown(Browser browser, String path, String text) {
    await()
        .untilAsserted(() -> {
          HttpResponse<String> answer = browser.get(path);
          assertThat(answer.statusCode()).as(path).isEqualTo(200);
          assertThat(answer.body()).as(path).contains(text);
        });
  }
}
