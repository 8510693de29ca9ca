package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table in docs/metrics.md is made from what running roles expose. */
class MetricsTableTest {
  private static final Path PAGE = Path.of("../../docs/metrics.md");
  private static final String BEGIN = "<!-- metrics: begin -->\n";
  private static final String END = "<!-- metrics: end -->";
  private static final Pattern HELP = Pattern.compile("(?m)^# HELP (egress_\\S+) (.*)$");
  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (egress_\\S+) (.*)$");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

  @Test
  void showsEveryMetricAsTheRolesExposeIt() throws IOException {
    String page = Files.readString(PAGE);
    String api;
    String dispatcher;
    try (BothRoles roles = AllMetrics.start()) {
      api = roles.metricsOfApi();
      dispatcher = roles.metricsOfDispatcher();
    }

    assertThat(page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)))
        .as("replace what stands between the two marks by this")
        .isEqualTo(table(api, dispatcher));
  }

  private static String table(String api, String dispatcher) {
    Set<String> ofApi = families(HELP, api).keySet();
    Map<String, String> meanings = new TreeMap<>(families(HELP, dispatcher));
    Set<String> ofDispatcher = Set.copyOf(meanings.keySet());
    meanings.putAll(families(HELP, api));
    String both = api + dispatcher;
    Map<String, String> types = families(TYPE, both);
    StringBuilder table =
        new StringBuilder("| metric | role | type | labels | meaning |\n|---|---|---|---|---|\n");
    meanings.forEach((name, meaning) -> {
      if (!name.endsWith("_max") || types.get(name.replaceAll("_max$", "")) == null) {
        String role =
            !ofDispatcher.contains(name) ? "api" : ofApi.contains(name) ? "both" : "dispatcher";
        table.append(
            "| `%s` | %s | %s | %s | %s |%n"
                .formatted(name, role, types.get(name), labels(name, both), meaning));
      }
    });
    return table.toString();
  }

  private static Map<String, String> families(Pattern pattern, String page) {
    return pattern
        .matcher(page)
        .results()
        .collect(
            Collectors.toMap(
                found -> found.group(1), found -> found.group(2), (one, _) -> one, TreeMap::new));
  }

  private static String labels(String family, String page) {
    Set<String> labels = new TreeSet<>();
    page.lines()
        .filter(line -> line.matches(family + "(_bucket|_count|_sum)?\\{.*"))
        .forEach(line ->
            LABEL
                .matcher(line)
                .results()
                .map((MatchResult found) -> found.group(1))
                .forEach(labels::add));
    labels.remove("le");
    return labels.stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
  }
}
