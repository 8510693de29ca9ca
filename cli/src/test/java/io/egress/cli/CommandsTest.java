package io.egress.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import io.egress.webhook.endpoint.EndpointSpec;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** What commands say of themselves and how they read their arguments, without a service. */
class CommandsTest {
  private final CommandLine root = AdministrationProgram.make().whole(Map.of());

  /** Lists of commands show the first element of a description. */
  @Test
  void helpTextsAreWhole() {
    for (CommandLine command : all(root)) {
      String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF).replaceAll("\\s+", " ");
      assertThat(usage).doesNotContain("<arg");
      command
          .getSubcommands()
          .forEach((name, below) -> {
            String[] description = below.getCommandSpec().usageMessage().description();
            if (description.length > 0) {
              assertThat(description[0]).as(name).endsWith(".");
              assertThat(usage).contains(description[0].replaceAll("\\s+", " "));
            }
          });
    }
  }

  /** An example that is wrapped cannot be pasted. */
  @Test
  void examplesFitTheWidthOfHelp() {
    for (CommandLine command : all(root)) {
      assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF).lines())
          .as(command.getCommandSpec().qualifiedName())
          .containsAll(
              Stream.of(command.getCommandSpec().usageMessage().footer())
                  .filter(line -> line.startsWith("  "))
                  .map(line -> line.replace("%%", "%"))
                  .toList());
    }
  }

  /** The others print nothing, or lines that are JSON or go on for ever. */
  @Test
  void allCommandsThatShowSomethingCanShowItAsJson() {
    assertThat(all(root).stream().filter(command -> command.getSubcommands().isEmpty()))
        .filteredOn(command -> command.getCommandSpec().findOption("--json") == null)
        .extracting(command -> command.getCommandSpec().qualifiedName())
        .containsExactlyInAnyOrder(
            "egress audit export",
            "egress completion",
            "egress endpoints delete",
            "egress keys delete",
            "egress listen",
            "egress mirror",
            "egress replays cancel");
  }

  /**
   * The URL is an argument of the one, and an option of the other; the parts of a filter have an
   * option each.
   */
  @Test
  void everyPropertyOfAnEndpointHasAnOption() {
    for (RecordComponent property : EndpointSpec.class.getRecordComponents()) {
      String name = KebabCaseStrategy.INSTANCE.translate(property.getName());
      String option = "--" + (name.equals("filter") ? "device" : name);
      assertThat(command("endpoints", "change").findOption(option)).as(option).isNotNull();
      assertThat(
              option.equals("--url") || command("endpoints", "create").findOption(option) != null)
          .as(option)
          .isTrue();
    }
  }

  private CommandSpec command(String... names) {
    CommandLine command = root;
    for (String name : names) {
      command = requireNonNull(command.getSubcommands().get(name));
    }
    return command.getCommandSpec();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keys list nowhere",
        "captures show 12",
        "deliveries list 0e37df36-f698-11e6-8dd4-cb9ced3df976 --from soon",
        "deliveries list 0e37df36-f698-11e6-8dd4-cb9ced3df976 --limit many"
      })
  void messagesNameNoClasses(String line) {
    StringWriter told = new StringWriter();
    root.setErr(new PrintWriter(told));
    assertThat(root.execute(line.split(" "))).isEqualTo(2);
    assertThat(told.toString().lines().findFirst().orElse(""))
        .contains("'" + line.replaceFirst(".* ", "") + "'")
        .doesNotContain("java", "Exception");
  }

  @Test
  void whereTheServiceIsMayBeGivenAnywhere() {
    String id = UUID.randomUUID().toString();
    String[] address = {"--host", "h", "--port", "9", "--actor", "ada"};
    for (List<String> line :
        List.of(List.of("keys", "A", "list", id), List.of("keys", "list", id, "A"))) {
      String[] words =
          line.stream()
              .flatMap(word -> word.equals("A") ? Stream.of(address) : Stream.of(word))
              .toArray(String[]::new);
      CommandLine keys = root.parseArgs(words).subcommand().commandSpec().commandLine();
      assertThat(keys.getCommandSpec().findOption("--host").<String>getValue()).isEqualTo("h");
      assertThat(keys.getCommandSpec().findOption("--port").<Integer>getValue()).isEqualTo(9);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "endpoints list ID,",
    "endpoints list ID --watch, 2",
    "endpoints list --watch ID, 2",
    "endpoints list --watch 5 ID, 5",
    "replays list ID ID --watch=10, 10",
    "workspaces list --watch --failing, 2"
  })
  void watchesWithAndWithoutAnInterval(String line, @Nullable Integer seconds) {
    String id = UUID.randomUUID().toString();
    CommandLine.ParseResult parsed = root.parseArgs(line.replace("ID", id).split(" "));
    Integer given = parsed.subcommand().subcommand().commandSpec().findOption("--watch").getValue();

    assertThat(given).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({
    "endpoints create ID https://example.com, ",
    "endpoints create ID https://example.com --standard-webhooks, true",
    "endpoints create --standard-webhooks ID https://example.com, true",
    "endpoints create --standard-webhooks ed25519 ID https://example.com, ed25519",
    "endpoints change ID ID --standard-webhooks=ed25519, ed25519",
    "endpoints change ID ID --no-standard-webhooks, false"
  })
  void signsByStandardWebhooksAsRequested(String line, @Nullable String expected) {
    String id = UUID.randomUUID().toString();
    CommandSpec parsed =
        root.parseArgs(line.replace("ID", id).split(" ")).subcommand().subcommand().commandSpec();
    JsonObject endpoint = new JsonObject();

    parsed.mixins().values().stream()
        .map(CommandSpec::userObject)
        .filter(EndpointSpecOptions.class::isInstance)
        .forEach(options -> ((EndpointSpecOptions) options).putInto(endpoint));

    assertThat(String.valueOf(endpoint.getValue("standard_webhooks")))
        .isEqualTo(String.valueOf(expected));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "--no-oauth2, {\"oauth2\":null}",
        "--oauth2-token-url https://a --oauth2-client-id b --oauth2-client-secret c,"
            + " '{\"oauth2\":{\"token_url\":\"https://a\",\"client_id\":\"b\",\"client_secret\":\"c\",\"scope\":null,\"audience\":null}}'",
        "--oauth2-token-url https://a --oauth2-client-id b, -",
        "--oauth2-scope b, -",
        "--no-oauth2 --oauth2-scope b, -"
      })
  void theClientForAccessTokensIsGivenAsAWhole(String options, @Nullable String expected) {
    String line =
        "endpoints change %s %s %s".formatted(UUID.randomUUID(), UUID.randomUUID(), options);
    OAuth2Options client =
        root
            .parseArgs(line.split(" "))
            .subcommand()
            .subcommand()
            .commandSpec()
            .mixins()
            .values()
            .stream()
            .map(CommandSpec::userObject)
            .filter(OAuth2Options.class::isInstance)
            .map(OAuth2Options.class::cast)
            .findFirst()
            .orElseThrow();
    JsonObject endpoint = new JsonObject();

    if (expected == null) {
      assertThatThrownBy(() -> client.putInto(endpoint)).hasMessageContaining("go together");
    } else {
      client.putInto(endpoint);
      assertThat(endpoint).isEqualTo(new JsonObject(expected));
    }
  }

  @Test
  void aReplayOfEverythingHasToBeRequested() {
    StringWriter told = new StringWriter();
    root.setErr(new PrintWriter(told));
    UUID id = UUID.randomUUID();

    assertThat(root.execute("replays", "start", id.toString(), id.toString())).isEqualTo(2);
    assertThat(told.toString()).startsWith("give --failed, --from or --from-position");
  }

  @ParameterizedTest
  @CsvSource({
    "now, 2026-11-24T21:30:00Z",
    "today, 2026-11-24T00:00:00Z",
    "yesterday, 2026-11-23T00:00:00Z",
    "2h, 2026-11-24T19:30:00Z",
    "90m, 2026-11-24T20:00:00Z",
    "7d, 2026-11-17T21:30:00Z",
    "2026-11-23, 2026-11-23T00:00:00Z",
    "2026-11-23T08:15, 2026-11-23T08:15:00Z",
    "2026-11-23T08:15:01Z, 2026-11-23T08:15:01Z"
  })
  void readsTimes(String text, Instant expected) {
    Instants instants =
        new Instants(Clock.fixed(Instant.parse("2026-11-24T21:30:00Z"), ZoneOffset.UTC));
    assertThat(instants.convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-13-01", "last week", "2h ago", "", "T"})
  void refusesWhatIsNoTime(String text) {
    assertThatThrownBy(() -> new Instants(Clock.systemUTC()).convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "' is not a time: write 2026-01-31");
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void completesInBash(@TempDir Path folder) throws Exception {
    String typed =
        """
        compopt() { :; }
        source %s
        COMP_WORDS=(egress captures s)
        COMP_CWORD=2
        _complete_egress
        echo ${COMPREPLY[@]}
        """;
    assertThat(completed(folder, "bash", typed)).isEqualTo("show");
  }

  /** zsh itself leaves out what does not begin with the word. */
  @Test
  void completesInZsh(@TempDir Path folder) throws Exception {
    String typed =
        """
        autoload -U +X compinit && compinit -u -D
        source %s
        echo "${_comps[egress]}"
        emulate -L sh
        compopt() { :; }
        COMP_WORDS=(egress captures s)
        COMP_CWORD=2
        _complete_egress
        echo "${COMPREPLY[@]}"
        """;
    assertThat(completed(folder, "zsh", typed).lines())
        .containsExactly("_bash_complete -F _complete_egress -o default", "copies erase list show");
  }

  @Test
  void completesInFish(@TempDir Path folder) throws Exception {
    String typed = "source %s; complete -C 'egress captures s'";
    assertThat(completed(folder, "fish", typed)).contains("show\tShows whose a capture is");
  }

  /** What a shell prints that has the script of {@code egress completion}. */
  private static String completed(Path folder, String shell, String typed) throws Exception {
    StringWriter script = new StringWriter();
    CommandLine command = AdministrationProgram.make().whole(Map.of());
    command.setOut(new PrintWriter(script));
    assertThat(command.execute("completion", shell)).isZero();
    Path file = Files.writeString(folder.resolve("completion"), script.toString());
    Process process;
    try {
      process =
          new ProcessBuilder(shell, "-c", typed.formatted(file)).redirectErrorStream(true).start();
    } catch (IOException notHere) {
      return abort(shell + " is not installed");
    }
    String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return printed.strip();
  }

  @Test
  void fishScriptsKnowCommandsAndOptions() {
    assertThat(CompletionCommand.fish(root).lines())
        .contains("complete -c egress -f")
        .anySatisfy(line ->
            assertThat(line)
                .startsWith("complete -c egress -n '__fish_seen_subcommand_from captures; and not")
                .endsWith(
                    " -a show -d 'Shows whose a capture is, its position in the stream, and what"
                        + " became of it at each endpoint'"))
        .anySatisfy(line ->
            assertThat(line)
                .startsWith("complete -c egress -n '__fish_seen_subcommand_from deliveries")
                .endsWith(" -l from -r"))
        .allSatisfy(line -> assertThat(line.chars().filter(c -> c == '\'').count() % 2).isZero());
  }

  @Test
  void refusesOtherShells() throws IOException {
    StringWriter told = new StringWriter();
    root.setErr(new PrintWriter(told));
    assertThat(root.execute("completion", "tcsh")).isEqualTo(2);
    assertThat(told.toString()).startsWith("there is no completion for tcsh");
  }

  static List<CommandLine> all(CommandLine command) {
    List<CommandLine> found = new ArrayList<>();
    found.add(command);
    command.getSubcommands().values().forEach(each -> found.addAll(all(each)));
    return found;
  }
}
