package io.egress.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running {@link BrokerNode}. Its errors are logged here, each once a minute. */
public final class BrokerProcess {
  private static final Logger log = LoggerFactory.getLogger(BrokerProcess.class);
  private static final Duration START_MAX = Duration.ofMinutes(2);
  private static final Duration STOP_MAX = Duration.ofSeconds(20);
  private static final Duration KILL_MAX = Duration.ofSeconds(10);
  private static final String LOGGING = "-Dlogback.configurationFile=broker-logback.xml";
  private static final List<String> MEMORY =
      List.of("-Xms80m", "-Xmn48m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders");

  /**
   * It does little, and its second compiler took half of that in the first minutes. The first one's
   * code is enough for it.
   */
  private static final String COMPILER = "-XX:TieredStopAtLevel=1";

  /** What a JVM prints that takes options from its environment. */
  private static final String OPTIONS_TAKEN = "Picked up ";

  private final Process process;
  private final Duration stopMax;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  /** Its output has ended. The JDK's own future of a process needs a thread of the common pool. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private final RepeatedLines lines = new RepeatedLines(log);

  private BrokerProcess(Process process, Duration stopMax) {
    this.process = process;
    this.stopMax = stopMax;
    Thread reader = new Thread(this::read, "kafka-broker-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Writes the settings to {@code file}. Returns at once. */
  public static BrokerProcess launch(
      Path file, String clusterId, Properties settings, List<String> jvm) throws IOException {
    settings.setProperty(BrokerNode.CLUSTER_ID, clusterId);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (Writer written = Files.newBufferedWriter(file, UTF_8)) {
      settings.store(written, null);
    }
    List<String> command = jvm();
    command.addAll(1, jvm);
    command.addAll(List.of(BrokerNode.class.getName(), file.toString()));
    return new BrokerProcess(
        new ProcessBuilder(command).redirectErrorStream(true).start(),
        jvm.contains(ChildJvm.RECORDS) ? ChildJvm.RECORD_MAX : STOP_MAX);
  }

  /** The program and the options of a broker's JVM. */
  public static List<String> jvm() {
    List<String> command = ChildJvm.command();
    command.addAll(MEMORY);
    command.addAll(List.of(COMPILER, LOGGING, "-cp", System.getProperty("java.class.path")));
    return command;
  }

  /** Blocks until the broker answers; throws {@link EmbeddedBackendException} if it fails to. */
  void awaitReady() {
    try {
      CompletableFuture.anyOf(ready, ended).get(START_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException late) {
      throw new EmbeddedBackendException(
          "it is not ready after %d s: %s".formatted(START_MAX.toSeconds(), lines.last()), late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EmbeddedBackendException("interrupted while Kafka starts", interrupted);
    }
    if (!ready.isDone() && ends(KILL_MAX)) {
      throw new EmbeddedBackendException(
          "its process ended with status %d: %s".formatted(process.exitValue(), lines.last()));
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Lets the broker write its data, for a while. Blocks until the process has ended. */
  public void stop() {
    process.destroy();
    if (!ends(stopMax)) {
      log.warn("Kafka did not stop within {} s; killing it", stopMax.toSeconds());
      kill();
    }
  }

  public void kill() {
    process.destroyForcibly();
    if (!ends(KILL_MAX)) {
      throw new EmbeddedBackendException("Kafka process " + process.pid() + " cannot be killed");
    }
  }

  private boolean ends(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void read() {
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.equals(BrokerNode.READY)) {
          ready.complete(null);
        } else if (!line.startsWith(OPTIONS_TAKEN)) {
          lines.add(line);
        }
      }
    } catch (IOException closed) {
      log.debug("The output of Kafka ended: {}", closed.toString());
    } catch (UncheckedIOException closed) {
      log.debug("The output of Kafka ended", closed);
    } finally {
      ended.complete(null);
    }
  }
}
