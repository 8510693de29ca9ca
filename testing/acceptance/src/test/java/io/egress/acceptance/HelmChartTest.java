package io.egress.acceptance;

import static io.egress.acceptance.HelmChart.container;
import static io.egress.acceptance.HelmChart.each;
import static io.egress.acceptance.HelmChart.name;
import static io.egress.acceptance.HelmChart.ofKind;
import static io.egress.acceptance.HelmChart.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.marcnuri.helm.LintResult;
import io.egress.platform.environment.SettingDescription;
import io.egress.platform.environment.SettingsException;
import io.egress.settings.Settings;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Helm renders is valid, and keeps the promises of docs/kubernetes.md. */
@Tag("full")
class HelmChartTest {
  private static final Path ALERTS = Path.of("../../deploy/prometheus/alerts.yml");
  private static final int INTERNAL_PORT = 8081;
  private static final Pattern SERIES = Pattern.compile("\\b(up\\{|(jvm|egress)_[a-z_]+)");
  private static final Set<String> SECRETS =
      Set.of(
          "EGRESS_DATABASE_URL",
          "EGRESS_INTERNAL_TOKEN",
          "EGRESS_SECRET_KEY",
          "EGRESS_OPERATOR_WEBHOOK_SECRET",
          "EGRESS_PROXY");

  private static final Set<String> NOT_ASKED_OF_THE_CHART =
      Set.of(
          // The tag of a release is not moved.
          "container-image-pull-policy",
          // Only /tmp is writable, and has a limit.
          "container-ephemeral-storage-request-and-limit",
          // There are topology spread constraints.
          "deployment-has-host-podantiaffinity",
          // A scaler of KEDA sets the number.
          "deployment-replicas");

  private final Path folder;
  private final HelmChart chart;

  HelmChartTest(@TempDir Path folder) {
    this.folder = folder;
    this.chart = new HelmChart(folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void isAcceptedByTheLinter(String values) throws Exception {
    LintResult result = chart.lint(values);
    assertThat(result.isFailed()).as(String.join("\n", result.getMessages())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void rendersValidResources(String values) throws Exception {
    KubernetesSchemas schemas = new KubernetesSchemas();
    for (JsonObject object : chart.objects(values)) {
      assertThat(schemas.faults(object)).as(object.encodePrettily()).isEmpty();
    }
    String misspelled =
        ofKind(chart.objects(values), "Deployment")
            .get(0)
            .encode()
            .replace("\"imagePullPolicy\"", "\"imagePullPolicies\"");
    assertThat(schemas.faults(new JsonObject(misspelled))).as("unknown field").isNotEmpty();
  }

  /** Selectors, budgets, policies, scalers and probes that fit together. */
  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void hasNothingThatKubeScoreFindsWrong(String values) throws Exception {
    Path program = GoProgram.install("github.com/zegl/kube-score/cmd/kube-score", "v1.20.0");
    Path file = Files.writeString(folder.resolve("objects.yaml"), chart.rendered(values));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "score",
                "--exit-one-on-warning",
                "--kubernetes-version=v1.27",
                // With it, the JVM would be throttled while it compiles.
                "--ignore-container-cpu-limit",
                file.toString()));
    NOT_ASKED_OF_THE_CHART.forEach(test -> arguments.add("--ignore-test=" + test));

    HelmChart.Answer answer = chart.run(program, arguments.toArray(String[]::new));
    assertThat(answer.exitValue()).as(answer.text()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void keepsTheInternalListenerInternal(String values) throws Exception {
    List<JsonObject> objects = chart.objects(values);

    for (JsonObject service : ofKind(objects, "Service")) {
      JsonObject spec = service.getJsonObject("spec");
      boolean internal = name(service).endsWith("-internal");
      assertThat(each(spec, "ports").map(port -> port.getString("targetPort")))
          .as(name(service))
          .containsExactly(internal ? "internal" : "public");
      assertThat(internal && !spec.getString("type").equals("ClusterIP")).isFalse();
    }
    for (JsonObject ingress : ofKind(objects, "Ingress")) {
      assertThat(ingress.encode())
          .contains("\"port\":{\"name\":\"public\"}")
          .doesNotContain("internal\"", String.valueOf(INTERNAL_PORT));
    }
    for (JsonObject policy : ofKind(objects, "NetworkPolicy")) {
      assertThat(each(policy.getJsonObject("spec"), "ingress").filter(HelmChartTest::isInternal))
          .as(name(policy))
          .isNotEmpty()
          .allSatisfy(rule -> assertThat(rule.getJsonArray("from")).isNotEmpty());
    }
    for (JsonObject deployment : ofKind(objects, "Deployment")) {
      assertThat(deployment.encode()).doesNotContain("hostPort", "hostNetwork");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void refersToSecretsAndMakesNone(String values) throws Exception {
    List<JsonObject> objects = chart.objects(values);

    assertThat(ofKind(objects, "Secret")).isEmpty();
    for (JsonObject deployment : ofKind(objects, "Deployment")) {
      assertThat(
              each(container(deployment), "env")
                  .filter(each -> SECRETS.contains(each.getString("name"))))
          .hasSizeGreaterThanOrEqualTo(3)
          .allSatisfy(each -> {
            assertThat(each.containsKey("value")).isFalse();
            assertThat(each.getJsonObject("valueFrom").getJsonObject("secretKeyRef").getMap())
                .containsOnlyKeys("name", "key");
          });
    }
  }

  /** A Secret of 1.0.0 has no such key: its only role goes on owning the tables. */
  @Test
  void givesTheOwnerOfTheTablesToDispatchersAlone() throws Exception {
    for (JsonObject deployment : ofKind(chart.objects("minimal"), "Deployment")) {
      List<JsonObject> owner =
          each(container(deployment), "env")
              .filter(each -> each.getString("name").equals("EGRESS_DATABASE_OWNER_URL"))
              .toList();
      if (name(deployment).endsWith("-api")) {
        assertThat(owner).isEmpty();
      } else {
        assertThat(owner)
            .singleElement()
            .extracting(each -> each.getJsonObject("valueFrom").getJsonObject("secretKeyRef"))
            .isEqualTo(
                new JsonObject()
                    .put("name", "transcript-egress")
                    .put("key", "database-owner-url")
                    .put("optional", true));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "config.EGRESS_SECRET_KEY=c2VjcmV0",
        "api.config.EGRESS_DATABASE_URL=postgresql://egress:password@postgres/egress",
        "config.EGRESS_UNHEARD_OF=1",
        "config.EGRESS_INTERNAL_PORT=80",
        "api.extraEnv[0].name=EGRESS_INTERNAL_TOKEN",
        "files.EGRESS_LOG_FORMAT.key=a",
        "api.replica=3"
      })
  void refusesUnknownValues(String value) throws Exception {
    HelmChart.Answer answer = chart.template("minimal", value);

    assertThat(answer.exitValue()).isNotZero();
    assertThat(answer.text()).contains("don't meet the specifications of the schema");
  }

  /** The pods' environment, read as the service reads it. */
  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void givesTheServiceSettingsThatItAccepts(String values) throws Exception {
    Set<String> known =
        Settings.descriptions().stream().map(SettingDescription::name).collect(Collectors.toSet());
    for (JsonObject deployment : ofKind(chart.objects(values), "Deployment")) {
      assertThat(pod(deployment).getBoolean("enableServiceLinks"))
          .as("variables of other services would be taken for unknown settings")
          .isFalse();
      List<String> names =
          each(container(deployment), "env").map(each -> each.getString("name")).toList();
      assertThat(names).doesNotHaveDuplicates();
      assertThat(names).filteredOn(name -> name.startsWith("EGRESS_")).isSubsetOf(known);

      SettingsException refused =
          catchThrowableOfType(
              SettingsException.class, () -> Settings.from(environment(deployment)));
      if (refused != null) {
        assertThat(refused.faults())
            .as("files that are mounted in the cluster")
            .allMatch(fault -> fault.matches(".*: /etc/egress/\\S+ is not there"));
        assertThat(values).isEqualTo("full");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void runsPodsWithoutPrivileges(String values) throws Exception {
    List<JsonObject> deployments = ofKind(chart.objects(values), "Deployment");
    assertThat(deployments).hasSize(2);
    for (JsonObject deployment : deployments) {
      JsonObject pod = pod(deployment);
      assertThat(pod.getBoolean("automountServiceAccountToken")).isFalse();
      assertThat(pod.getJsonObject("securityContext").getBoolean("runAsNonRoot")).isTrue();
      JsonObject context = container(deployment).getJsonObject("securityContext");
      assertThat(context.getBoolean("readOnlyRootFilesystem")).isTrue();
      assertThat(context.getBoolean("allowPrivilegeEscalation")).isFalse();
      assertThat(context.getJsonObject("capabilities").encode()).isEqualTo("{\"drop\":[\"ALL\"]}");
      assertThat(each(container(deployment), "volumeMounts"))
          .filteredOn(mount -> !mount.getBoolean("readOnly", false))
          .singleElement()
          .satisfies(mount -> assertThat(mount.getString("mountPath")).isEqualTo("/tmp"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void givesAStoppingPodLongerThanTheServiceTakes(String values) throws Exception {
    for (JsonObject deployment : ofKind(chart.objects(values), "Deployment")) {
      int grace = pod(deployment).getInteger("terminationGracePeriodSeconds");
      int preStop =
          container(deployment).containsKey("lifecycle")
              ? Integer.parseInt(
                  container(deployment)
                      .getJsonObject("lifecycle")
                      .getJsonObject("preStop")
                      .getJsonObject("exec")
                      .getJsonArray("command")
                      .getString(1))
              : 0;
      assertThat(environment(deployment))
          .containsEntry("EGRESS_SHUTDOWN_TIMEOUT", (grace - preStop - 10) + "s");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void updatesOnePodAtATimeAndKeepsTheOldOnesUntilThen(String values) throws Exception {
    List<JsonObject> objects = chart.objects(values);
    for (JsonObject deployment : ofKind(objects, "Deployment")) {
      JsonObject spec = deployment.getJsonObject("spec");
      assertThat(spec.getJsonObject("strategy").getJsonObject("rollingUpdate").getMap())
          .isEqualTo(Map.of("maxSurge", 1, "maxUnavailable", 0));
      assertThat(spec.getInteger("minReadySeconds")).isPositive();
      assertThat(spec.getInteger("revisionHistoryLimit")).isGreaterThan(1);
      JsonObject startup = container(deployment).getJsonObject("startupProbe");
      assertThat(startup.getInteger("periodSeconds") * startup.getInteger("failureThreshold"))
          .as("longer than a start may take, and shorter than Kubernetes' progressDeadlineSeconds")
          .isBetween(300, 600);
    }
    assertThat(ofKind(objects, "PodDisruptionBudget"))
        .hasSize(2)
        .allSatisfy(budget ->
            assertThat(budget.getJsonObject("spec").getInteger("maxUnavailable")).isOne());
  }

  /** Kubernetes refuses to change these; an upgrade would fail. */
  @ParameterizedTest
  @ValueSource(strings = {"minimal", "full"})
  void selectsPodsByLabelsThatNoReleaseChanges(String values) throws Exception {
    List<JsonObject> deployments = ofKind(chart.objects(values), "Deployment");
    List<JsonObject> upgraded =
        ofKind(chart.objects(values, "image.tag=1.1.0", "shutdownSeconds=60"), "Deployment");
    for (int i = 0; i < deployments.size(); i++) {
      JsonObject selector = deployments.get(i).getJsonObject("spec").getJsonObject("selector");
      assertThat(selector.getJsonObject("matchLabels").getMap())
          .containsOnlyKeys(
              "app.kubernetes.io/name",
              "app.kubernetes.io/instance",
              "app.kubernetes.io/component");
      assertThat(upgraded.get(i).getJsonObject("spec").getJsonObject("selector"))
          .isEqualTo(selector);
      assertThat(name(upgraded.get(i))).isEqualTo(name(deployments.get(i)));
    }
  }

  @Test
  void runsBothRolesFromOneImage() throws Exception {
    for (JsonObject deployment : ofKind(chart.objects("full"), "Deployment")) {
      assertThat(container(deployment).getString("image"))
          .isEqualTo("registry.example/team/transcript-egress:1.0.0");
      assertThat(container(deployment).getJsonArray("args"))
          .containsExactly(container(deployment).getString("name"));
    }
    assertThat(chart.template("minimal", "api.image.repository=egress-api").text())
        .as("a value of 1.0.0 that would name another image")
        .contains("'image' not allowed");
  }

  @Test
  void runsNoMoreConsumersThanThereArePartitions() throws Exception {
    assertThat(chart.template("minimal", "dispatcher.replicas=12").exitValue()).isZero();
    assertThat(chart.template("minimal", "dispatcher.replicas=13").text())
        .contains("more than the 12 partitions");
    assertThat(chart.template("full", "dispatcher.autoscaling.maxReplicas=25").text())
        .contains("more than the 24 partitions");
    JsonObject scaled = ofKind(chart.objects("full"), "ScaledObject").get(0).getJsonObject("spec");
    assertThat(scaled.getInteger("maxReplicaCount")).isEqualTo(24);
  }

  @Test
  void leavesTheNumberOfReplicasToTheScalers() throws Exception {
    for (JsonObject deployment : ofKind(chart.objects("full"), "Deployment")) {
      assertThat(deployment.getJsonObject("spec").containsKey("replicas")).isFalse();
    }
  }

  @Test
  void sendsWebhooksToNoNetworkOfTheCluster() throws Exception {
    for (JsonObject policy : ofKind(chart.objects("minimal"), "NetworkPolicy")) {
      assertThat(each(policy.getJsonObject("spec"), "egress"))
          .filteredOn(rule -> !rule.containsKey("ports"))
          .singleElement()
          .satisfies(rule ->
              assertThat(rule.encode())
                  .contains("0.0.0.0/0", "::/0")
                  .contains("\"169.254.0.0/16\"", "\"10.0.0.0/8\"", "\"172.16.0.0/12\"")
                  .contains("\"192.168.0.0/16\"", "\"fc00::/7\"", "\"fe80::/10\""));
    }
  }

  @Test
  void hasTheAlertsOfThePrometheusFileLimitedToTheRelease() throws Exception {
    String series = "namespace=\"egress\",service=~\"egress-(api|dispatcher)-internal\"";
    JsonObject rules = ofKind(chart.objects("full"), "PrometheusRule").get(0).getJsonObject("spec");

    assertThat(alerts(rules))
        .isNotEmpty()
        .allSatisfy(alert -> {
          String expression = alert.getString("expr");
          assertThat(SERIES.matcher(expression).results().count())
              .as(expression)
              .isPositive()
              .isEqualTo(expression.split(Pattern.quote("{" + series), -1).length - 1);
        });
    String unlimited =
        rules.encode().replace(escaped("{" + series + "}"), "").replace(escaped(series + ","), "");
    assertThat(new JsonObject(unlimited)).isEqualTo(HelmChart.yaml(ALERTS));
  }

  @Test
  void hasRulesAndAQueryThatPrometheusReads() throws Exception {
    assumeTrue(
        PrometheusServer.isInstalled(),
        "prometheus and promtool are not installed (Debian: apt-get install prometheus)");
    List<JsonObject> objects = chart.objects("full");
    JsonObject rules = ofKind(objects, "PrometheusRule").get(0).getJsonObject("spec");
    String query =
        each(ofKind(objects, "ScaledObject").get(0).getJsonObject("spec"), "triggers")
            .findFirst()
            .orElseThrow()
            .getJsonObject("metadata")
            .getString("query");
    rules
        .getJsonArray("groups")
        .getJsonObject(0)
        .getJsonArray("rules")
        .add(new JsonObject().put("record", "lateness").put("expr", query));

    Path file = Files.writeString(folder.resolve("rules.yml"), rules.encode());
    HelmChart.Answer answer = chart.run(Path.of("promtool"), "check", "rules", file.toString());
    assertThat(answer.exitValue()).as(answer.text()).isZero();
  }

  private static boolean isInternal(JsonObject rule) {
    return each(rule, "ports").anyMatch(port -> port.getInteger("port") == INTERNAL_PORT);
  }

  private static List<JsonObject> alerts(JsonObject rules) {
    return each(rules, "groups").flatMap(group -> each(group, "rules")).toList();
  }

  private static String escaped(String text) {
    return text.replace("\"", "\\\"");
  }

  /** With stand-ins for what secrets hold. */
  private static Map<String, String> environment(JsonObject deployment) {
    Map<String, String> secrets =
        Map.of(
            "EGRESS_DATABASE_URL", "postgresql://egress:password@postgres:5432/egress",
            "EGRESS_DATABASE_OWNER_URL", "postgresql://owner:password@postgres:5432/egress",
            "EGRESS_PROXY", "http://egress:password@proxy:3128",
            "EGRESS_SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    Map<String, String> environment = new HashMap<>();
    each(container(deployment), "env")
        .forEach(each -> {
          String name = each.getString("name");
          environment.put(
              name, each.getString("value", secrets.getOrDefault(name, "a-secret-of-the-cluster")));
        });
    return environment;
  }
}
