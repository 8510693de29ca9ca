package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every query of the dashboard and of the alerts, against roles that work. */
class DashboardTest {
  private static final Path DASHBOARD = Path.of("../../deploy/grafana/egress.json");
  private static final Path ALERTS = Path.of("../../deploy/prometheus/alerts.yml");
  private static final Path RUNBOOK = Path.of("../../docs/runbook.md");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Pattern METRIC = Pattern.compile("\\b(?:egress|jvm|process)_[a-z_]+");
  private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(?:=~|!~|!=|=)\"");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern COMPARISON = Pattern.compile(" (?:>|<|==) [0-9.]+$");

  private static final Duration WORK_PERIOD = Duration.ofMillis(300);

  private static final Vertx outside = Vertx.vertx();
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static BothRoles roles;

  /**
   * From now on captures finish, are pulled, and are sent to receivers that take them, that refuse
   * each one first, and that refuse them all.
   */
  @BeforeAll
  static void work() {
    roles = AllMetrics.start();
    Inbox inbox = new Inbox(outside);
    inbox.makeFlaky("flaky");
    inbox.onlyDown(Set.of("broken"));
    for (String name : List.of("fine", "flaky", "broken")) {
      roles.endpoint(WORKSPACE, inbox.url(name));
    }
    String key = roles.mintKey(WORKSPACE);
    outside.setPeriodic(
        WORK_PERIOD.toMillis(),
        _ ->
            outside.executeBlocking(() -> {
              roles.call("PUT", "/captures/" + UUID.randomUUID(), BothRoles.capture(WORKSPACE));
              return roles.pull("/api/v1/captures", key);
            }));
  }

  @AfterAll
  static void stop() {
    BothRoles.done(outside.close());
    roles.close();
  }

  @Test
  void queriesOnlyExistingMetricsAndLabels() throws IOException {
    List<String> page = (roles.metricsOfApi() + roles.metricsOfDispatcher()).lines().toList();
    for (String expression : all()) {
      Set<String> labels = labels(expression);
      assertThat(METRIC.matcher(expression).results().map(MatchResult::group))
          .allSatisfy(metric ->
              assertThat(page).as(expression).anyMatch(line -> line.matches(metric + "[{ ].*")));
      assertThat(labels)
          .allSatisfy(label ->
              assertThat(page).as(expression).anyMatch(line -> line.contains(label + "=\"")));
    }
  }

  @Test
  @Tag("full")
  void returnsDataForEveryQueryInPrometheus(@TempDir Path folder) throws IOException {
    assumeTrue(
        PrometheusServer.isInstalled(),
        "prometheus and promtool are not installed (Debian: apt-get install prometheus)");
    try (PrometheusServer prometheus =
        PrometheusServer.start(
            folder, Map.of("api", roles.internalPort(), "dispatcher", roles.dispatcherPort()))) {
      for (String expression : all()) {
        await(expression).atMost(PATIENCE).until(() -> hasValue(prometheus.query(expression)));
      }
      for (String alert : alertExpressions()) {
        assertThatCode(() -> prometheus.query(alert)).doesNotThrowAnyException();
      }
    }
    assertThat(PrometheusServer.runs("promtool", "check", "rules", ALERTS.toString())).isTrue();
  }

  @Test
  void hasARunbookSectionForExactlyEachAlert() throws IOException {
    String alerts = Files.readString(ALERTS);
    List<String> names = found("(?m)^ +- alert: (\\w+)$", alerts);

    assertThat(found("(?m)^## (\\w+)$", Files.readString(RUNBOOK)))
        .containsExactlyInAnyOrderElementsOf(names);
    assertThat(found("runbook: docs/runbook.md#(\\w+)", alerts))
        .containsExactlyElementsOf(
            names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList());
  }

  @Test
  void theRunbookNeedsNoSql() throws IOException {
    assertThat(Files.readString(RUNBOOK))
        .doesNotContain("```sql", "select ", "pg_stat_activity", "pg_stat_replication");
  }

  private static List<String> all() throws IOException {
    List<String> expressions = new ArrayList<>(dashboardExpressions());
    for (String alert : alertExpressions()) {
      Stream.of(alert.split(" and ", -1))
          .map(side -> COMPARISON.matcher(side).replaceFirst(""))
          .forEach(expressions::add);
    }
    return expressions;
  }

  private static List<String> dashboardExpressions() throws IOException {
    List<String> expressions = new ArrayList<>();
    for (Object panel : new JsonObject(Files.readString(DASHBOARD)).getJsonArray("panels")) {
      for (Object target : ((JsonObject) panel).getJsonArray("targets", new JsonArray())) {
        expressions.add(((JsonObject) target).getString("expr").replace("$__rate_interval", "30s"));
      }
    }
    assertThat(expressions).isNotEmpty();
    return expressions;
  }

  private static List<String> alertExpressions() throws IOException {
    List<String> expressions = found("(?m)^ +expr: (.*)$", Files.readString(ALERTS));
    assertThat(expressions).isNotEmpty();
    return expressions;
  }

  private static Set<String> labels(String expression) {
    Set<String> labels = new TreeSet<>();
    MATCHER.matcher(expression).results().forEach(found -> labels.add(found.group(1)));
    GROUPING
        .matcher(expression)
        .results()
        .flatMap(found -> Stream.of(found.group(1).split(", ?", -1)))
        .forEach(labels::add);
    labels.removeAll(Set.of("job", "instance"));
    return labels;
  }

  private static boolean hasValue(JsonArray samples) {
    return samples.stream()
        .map(sample -> ((JsonObject) sample).getJsonArray("value").getString(1))
        .anyMatch(value -> !value.equals("NaN"));
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toList());
  }
}
