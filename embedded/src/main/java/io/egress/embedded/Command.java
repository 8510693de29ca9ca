package io.egress.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program with a time limit. */
public final class Command {
  private static final int NEVER_RAN = 127;
  private static final int OVERRAN = 124;

  public record Result(int exitCode, String output) {
    public boolean succeeded() {
      return exitCode == 0;
    }
  }

  private Command() {}

  /** A missing program and a timeout are failed results, not exceptions. */
  public static Result run(Path directory, Duration limit, List<String> command) {
    try {
      // A file, not a pipe: a server that the command starts would keep a pipe open.
      Path output = Files.createTempFile("egress-command", ".out");
      try {
        return run(builder(directory, output, command), output, limit);
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Result run(ProcessBuilder builder, Path output, Duration limit)
      throws IOException {
    Process process;
    try {
      process = builder.start();
    } catch (IOException missing) {
      return new Result(NEVER_RAN, String.valueOf(missing.getMessage()));
    }
    try {
      process.getOutputStream().close();
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      String said = Files.readString(output, StandardCharsets.ISO_8859_1).strip();
      return ended
          ? new Result(process.exitValue(), said)
          : new Result(OVERRAN, said + " (did not end within " + limit.toSeconds() + " s)");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EmbeddedBackendException("Interrupted in " + builder.command(), interrupted);
    } finally {
      process.destroyForcibly();
    }
  }

  private static ProcessBuilder builder(Path directory, Path output, List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    return builder;
  }
}
