package io.egress.dispatcher;

import static org.awaitility.Awaitility.await;

import io.egress.embedded.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A dispatcher in a JVM of its own, which can be killed. */
public final class DispatcherProcess implements AutoCloseable {
  private static final Duration UP_MAX = Duration.ofSeconds(60);

  private final Process process;
  private final Path log;

  private DispatcherProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** One that is up. */
  static DispatcherProcess start(Map<String, String> environment, String heap) {
    try {
      Path log = Files.createTempFile("dispatcher", ".log");
      List<String> line = ChildJvm.command();
      line.addAll(
          List.of(
              heap,
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-Dlogback.configurationFile=logback.xml",
              "-cp",
              System.getProperty("java.class.path"),
              DispatcherMain.class.getName()));
      ProcessBuilder builder =
          new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile());
      builder.environment().keySet().removeIf(variable -> variable.startsWith("EGRESS_"));
      builder.environment().putAll(environment);
      DispatcherProcess started = new DispatcherProcess(builder.start(), log);
      started.awaitUp();
      return started;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void awaitUp() {
    boolean up = false;
    try {
      await().atMost(UP_MAX).until(() -> said().contains("dispatcher is up"));
      up = true;
    } finally {
      if (!up) {
        close();
      }
    }
  }

  /** Kills the process. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGTERM; the exit status. */
  public int terminate(Duration patience) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("still there after " + patience + ":\n" + said());
    }
    return process.exitValue();
  }

  public String said() {
    try {
      return Files.readString(log);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
      Files.deleteIfExists(log);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
