package io.egress.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A program in a process of its own; {@code egress} among them, as {@code ./egress} starts it. */
final class CommandLine implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A training run makes its caches before it exits: minutes of a machine that is busy. */
  private static final int EXIT_MINUTES_MAX = 5;

  private final Process process;
  private final Path output;

  private CommandLine(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static CommandLine start(Map<String, String> environment, String... arguments)
      throws IOException {
    return start(environment, EgressJvm.command(arguments));
  }

  static CommandLine start(Map<String, String> environment, List<String> command)
      throws IOException {
    Path output = Files.createTempFile("egress-output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("EGRESS_"));
    builder.environment().putAll(environment);
    return new CommandLine(builder.start(), output);
  }

  /** What the command does at a terminal, where Ctrl-C can be typed. */
  static CommandLine atATerminal(Map<String, String> environment, List<String> command)
      throws IOException {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/script")), "script (util-linux) makes the terminal");
    // A shell that stays would die of Ctrl-C itself, and a build in the background ignores it.
    String line =
        command.stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" ", "exec env --default-signal=INT ", ""));
    return start(environment, List.of("script", "-qec", line, "/dev/null"));
  }

  /** The first match's group, once the output has it. */
  String awaitOutput(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    await()
        .atMost(PATIENCE)
        .until(() -> {
          if (!process.isAlive() && !wanted.matcher(output()).find()) {
            throw new AssertionError("ended without \"" + pattern + "\":\n" + output());
          }
          return wanted.matcher(output()).find();
        });
    Matcher matcher = wanted.matcher(output());
    return matcher.find() && matcher.groupCount() > 0 ? matcher.group(1) : "";
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  int awaitExit() throws InterruptedException {
    if (!process.waitFor(EXIT_MINUTES_MAX, TimeUnit.MINUTES)) {
      throw new AssertionError("still running:\n" + output());
    }
    return process.exitValue();
  }

  void terminate() {
    process.destroy();
  }

  /** What a terminal would send; Ctrl-C is the character 3. */
  void type(String text) throws IOException {
    Writer input = process.outputWriter(UTF_8);
    input.write(text);
    input.flush();
  }

  /** As kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws IOException {
    try {
      process.destroy();
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Files.deleteIfExists(output);
  }
}
