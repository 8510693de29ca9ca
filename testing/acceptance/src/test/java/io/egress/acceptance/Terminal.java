package io.egress.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A shell in a folder to paste commands into; it stops at the first failure. */
final class Terminal implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A shell that ends at a failure would leave behind what runs in its background. */
  private static final String END_WITH_ITS_JOBS =
      "trap 'jobs=$(jobs -p); [ -z \"$jobs\" ] || kill $jobs 2>/dev/null || true' EXIT";

  private final Process shell;
  private final Writer input;
  private final Path output;

  Terminal(Path folder, Map<String, String> environment) throws IOException {
    output = Files.createTempFile(folder, "terminal", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-eu")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("EGRESS_"));
    builder.environment().putAll(environment);
    shell = builder.start();
    input = shell.outputWriter(StandardCharsets.UTF_8);
    paste(END_WITH_ITS_JOBS);
  }

  /** Puts {@code ./egress} into the folder: what the script runs, without building it first. */
  static void placeEgress(Path folder, String administrationPort) throws IOException {
    String script =
        """
        #!/bin/sh
        command=$1
        shift
        case $command in
          workspaces | captures | keys | endpoints | deliveries | replays | verify | audit | portal) set -- --port %s "$@" ;;
        esac
        exec '%s' "$command" "$@"
        """
            .formatted(administrationPort, String.join("' '", EgressJvm.command()));
    Path file = Files.writeString(folder.resolve("egress"), script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  void paste(String commands) throws IOException {
    input.write(commands + "\n");
    input.flush();
  }

  /** The first match's group, or the match itself, once the output has it. */
  String awaitOutput(String pattern) {
    Pattern wanted = Pattern.compile(pattern);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> {
          if (!shell.isAlive() && !wanted.matcher(output()).find()) {
            throw new AssertionError("ended without \"" + pattern + "\":\n" + output());
          }
          return wanted.matcher(output()).find();
        });
    Matcher matcher = wanted.matcher(output());
    return matcher.find() ? matcher.group(matcher.groupCount()) : "";
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Ends what the commands have left running, too. */
  @Override
  public void close() throws IOException {
    shell.descendants().forEach(ProcessHandle::destroy);
    try {
      input.close();
      if (!shell.waitFor(30, TimeUnit.SECONDS)) {
        shell.destroyForcibly().waitFor();
      }
    } catch (IOException ended) {
      shell.destroyForcibly();
    } catch (InterruptedException interrupted) {
      shell.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
