package io.egress.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.egress.standalone.Main;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Each call of the internal API has a command of {@code ./egress}. */
class CallsHaveCommandsTest {
  /** The pipeline makes these calls, or tools read what they return. */
  private static final Set<String> WITHOUT_COMMAND =
      Set.of(
          "PUT /captures/{id}",
          "POST /captures",
          "PATCH /captures/{id}/participants/{label}",
          "PUT /members/{id}",
          "PUT /devices/{id}",
          "GET /openapi.json");

  private static final String WORKSPACE = "/workspaces/{workspace}";

  private static final Map<String, String> COMMANDS =
      Map.ofEntries(
          Map.entry("GET /audit", "audit list"),
          Map.entry("GET /captures/{id}", "captures show"),
          Map.entry("GET /captures/{id}/copies", "captures copies"),
          Map.entry("GET " + WORKSPACE + "/captures", "captures list"),
          Map.entry("DELETE /captures/{id}", "captures erase"),
          Map.entry("GET /workspaces", "workspaces list"),
          Map.entry("GET " + WORKSPACE, "workspaces show"),
          Map.entry("PATCH " + WORKSPACE, "workspaces change"),
          Map.entry("DELETE " + WORKSPACE, "workspaces end"),
          Map.entry("DELETE " + WORKSPACE + "/members/{id}", "members erase"),
          Map.entry("GET /database", "database"),
          Map.entry("GET /queue", "rebuild-queue"),
          Map.entry("POST /queue/rebuild", "rebuild-queue"),
          Map.entry("GET /secret-keys", "secrets list"),
          Map.entry("POST /secret-keys/reseal", "secrets reseal"),
          Map.entry("GET " + WORKSPACE + "/audit", "audit list"),
          Map.entry("POST /portal-links", "portal"),
          Map.entry("POST " + WORKSPACE + "/portal-links", "portal"),
          Map.entry("GET /portal-sessions", "sessions list"),
          Map.entry("DELETE /portal-sessions", "sessions end"),
          Map.entry("GET " + WORKSPACE + "/portal-sessions", "sessions list"),
          Map.entry("GET " + WORKSPACE + "/readers", "readers list"),
          Map.entry("DELETE " + WORKSPACE + "/portal-sessions", "sessions end"),
          Map.entry("POST " + WORKSPACE + "/api-keys", "keys create"),
          Map.entry("GET " + WORKSPACE + "/api-keys", "keys list"),
          Map.entry("PATCH " + WORKSPACE + "/api-keys/{id}", "keys change"),
          Map.entry("DELETE " + WORKSPACE + "/api-keys/{id}", "keys delete"),
          Map.entry("POST " + WORKSPACE + "/endpoints", "endpoints create"),
          Map.entry("GET " + WORKSPACE + "/endpoints", "endpoints list"),
          Map.entry("GET " + WORKSPACE + "/endpoints/{id}", "endpoints show"),
          Map.entry("PATCH " + WORKSPACE + "/endpoints/{id}", "endpoints change"),
          Map.entry("DELETE " + WORKSPACE + "/endpoints/{id}", "endpoints delete"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/rotate-secret", "endpoints rotate"),
          Map.entry("DELETE " + WORKSPACE + "/endpoints/{id}/previous-secret", "endpoints rotate"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/test", "endpoints test"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/clone", "endpoints clone"),
          Map.entry("GET " + WORKSPACE + "/endpoints/{id}/pages", "endpoints pages"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/skip", "endpoints skip"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/seek", "endpoints seek"),
          Map.entry("GET " + WORKSPACE + "/endpoints/{id}/deliveries", "deliveries list"),
          Map.entry("GET " + WORKSPACE + "/endpoints/{id}/verification", "verify"),
          Map.entry("GET " + WORKSPACE + "/deliveries", "deliveries list"),
          Map.entry("GET " + WORKSPACE + "/deliveries/{id}", "deliveries show"),
          Map.entry("GET " + WORKSPACE + "/pages/{id}", "deliveries show"),
          Map.entry("POST " + WORKSPACE + "/deliveries/{id}/redeliver", "deliveries redeliver"),
          Map.entry("POST " + WORKSPACE + "/endpoints/{id}/replays", "replays start"),
          Map.entry("GET " + WORKSPACE + "/endpoints/{id}/replays", "replays list"),
          Map.entry("POST " + WORKSPACE + "/replays", "replays start-all"),
          Map.entry("GET " + WORKSPACE + "/replays/{id}", "replays show"),
          Map.entry("DELETE " + WORKSPACE + "/replays/{id}", "replays cancel"));

  @Test
  void makeEveryCall() throws IOException {
    Set<String> known = new TreeSet<>(COMMANDS.keySet());
    known.addAll(WITHOUT_COMMAND);

    assertThat(known).isEqualTo(calls());
    for (String command : COMMANDS.values()) {
      CommandLine line = Main.program().whole(Map.of());
      for (String word : command.split(" ", -1)) {
        line = requireNonNull(line.getSubcommands().get(word), () -> "no command " + command);
      }
    }
  }

  @Test
  void endTheirHelpWithAnExampleThatParses() {
    for (CommandLine verb : verbs(Main.program().whole(Map.of()))) {
      String name = verb.getCommandSpec().qualifiedName();
      List<String> examples = examples(verb);
      assertThat(examples).as(name + " --help").isNotEmpty();
      String[] footer = verb.getCommandSpec().usageMessage().footer();
      assertThat(footer[footer.length - 1])
          .as(name + " --help ends with the example")
          .startsWith("  ");
      assertThat(verb.getUsageMessage(CommandLine.Help.Ansi.OFF).lines())
          .as(name + " --help wraps no example")
          .containsAll(
              Stream.of(footer)
                  .filter(line -> line.startsWith("  "))
                  .map(line -> line.replace("%%", "%"))
                  .toList());
      for (String example : examples) {
        assertThat(parsed(example).getCommandSpec().qualifiedName()).as(example).isEqualTo(name);
      }
    }
  }

  @Test
  void showExamplesOfGroupsThatParse() {
    for (CommandLine group : Main.program().whole(Map.of()).getSubcommands().values()) {
      for (String example : examples(group)) {
        assertThat(parsed(example).getSubcommands()).as(example).isEmpty();
      }
    }
  }

  @Test
  void takeTheAddressOfTheServiceBeforeAndAfterTheVerb() {
    for (CommandLine verb : verbs(Main.program().whole(Map.of()))) {
      if (verb.getCommandSpec().findOption("--port") == null) {
        continue;
      }
      String address = " --host h --port 9 --actor ada ";
      String example = examples(verb).getLast();
      String group = "egress [a-z-]+";
      for (String line : List.of(example + address, example.replaceFirst(group, "$0" + address))) {
        CommandSpec parsed = parsed(line).getCommandSpec();
        CommandSpec holder =
            parsed.parent().findOption("--port") == null ? parsed : parsed.parent();
        assertThat(holder.findOption("--host").<String>getValue()).as(line).isEqualTo("h");
        assertThat(holder.findOption("--port").<Integer>getValue()).as(line).isEqualTo(9);
        assertThat(holder.findOption("--actor").<String>getValue()).as(line).isEqualTo("ada");
      }
    }
  }

  private static List<CommandLine> verbs(CommandLine command) {
    Collection<CommandLine> below = command.getSubcommands().values();
    return below.isEmpty()
        ? List.of(command)
        : below.stream().flatMap(each -> verbs(each).stream()).toList();
  }

  /** The lines of its footer that call {@code egress}, each with what continues it. */
  private static List<String> examples(CommandLine command) {
    String footer = String.join("\n", command.getCommandSpec().usageMessage().footer());
    return footer
        .replaceAll("\\\\\n *", "")
        .lines()
        .filter(line -> line.matches("  (env \\S+ \\S+ |([A-Z_]+=\\S+ )+)?egress .*"))
        .map(line -> line.replaceFirst(".*?egress", "egress").replaceFirst(" [>|] .*", ""))
        .toList();
  }

  /** The command that an example calls, with ids for what it leaves open. */
  static CommandLine parsed(String example) {
    CommandLine root = Main.program().whole(Map.of());
    List<String> words =
        Pattern.compile("'([^']*)'|(\\S+)")
            .matcher(example)
            .results()
            .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
            .map(word -> word.matches("[A-Z]+(-ID)?") ? UUID.randomUUID().toString() : word)
            .skip(1)
            .toList();
    CommandLine.ParseResult result = root.parseArgs(words.toArray(String[]::new));
    while (result.hasSubcommand()) {
      result = result.subcommand();
    }
    return result.commandSpec().commandLine();
  }

  /** OpenApiTest compares the description with the routes. */
  private static Set<String> calls() throws IOException {
    JsonObject paths =
        new JsonObject(
                Files.readString(
                    Path.of("../../api/src/main/resources/io/egress/api/internal-openapi.json")))
            .getJsonObject("paths");
    Set<String> calls = new TreeSet<>();
    for (String path : paths.fieldNames()) {
      if (path.startsWith("/internal/v1")) {
        for (String method : paths.getJsonObject(path).fieldNames()) {
          calls.add(method.toUpperCase(Locale.ROOT) + path.replace("/internal/v1", " "));
        }
      }
    }
    return calls;
  }
}
