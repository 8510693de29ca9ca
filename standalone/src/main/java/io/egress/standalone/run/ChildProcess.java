package io.egress.standalone.run;

import io.egress.embedded.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JVM with this one's class path. Its output and its GC log go to files in a folder. */
public final class ChildProcess implements AutoCloseable {
  private static final Duration READY_MAX = Duration.ofMinutes(5);
  private static final Duration STOP_MAX = Duration.ofSeconds(45);
  private static final long LOOK_MILLIS = 50;

  /**
   * The process is known to be up by a log line, so a test's own log configuration must not apply.
   */
  private static final String LOGGING = "-Dlogback.configurationFile=logback.xml";

  private static final Pattern RESIDENT_MAX = Pattern.compile("VmHWM:\\s+(\\d+) kB");

  private final String name;
  private final Process process;
  private final Path output;
  private final Path gcLog;

  private ChildProcess(String name, Process process, Path output, Path gcLog) {
    this.name = name;
    this.process = process;
    this.output = output;
    this.gcLog = gcLog;
  }

  /** What to start: JVM options, main class, arguments and EGRESS_ settings. */
  public record Command(
      List<String> options, String main, List<String> arguments, Map<String, String> settings) {
    public Command {
      options = List.copyOf(options);
      arguments = List.copyOf(arguments);
      settings = Map.copyOf(settings);
    }
  }

  public static ChildProcess start(Path folder, String name, Command command) {
    List<String> options = new ArrayList<>(command.options());
    options.add("-Xlog:gc:file=" + folder.resolve(name + ".gc.log") + "::filecount=0");
    List<String> line = jvm(options);
    line.add(command.main());
    line.addAll(command.arguments());
    return start(folder, name, line, command.settings());
  }

  /** A JVM with this one's class path; the main class is to follow. */
  public static List<String> jvm(List<String> options) {
    List<String> line = ChildJvm.command();
    line.addAll(options);
    line.add(LOGGING);
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return line;
  }

  /** {@code line} is any program, with EGRESS_ settings of its own. */
  public static ChildProcess start(
      Path folder, String name, List<String> line, Map<String, String> settings) {
    Path output = folder.resolve(name + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(variable -> variable.startsWith("EGRESS_"));
    builder.environment().putAll(settings);
    try {
      return new ChildProcess(name, builder.start(), output, folder.resolve(name + ".gc.log"));
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot start " + name, failure);
    }
  }

  /** The match's groups, once the output has it. */
  public Matcher await(String pattern) throws InterruptedException {
    Pattern wanted = Pattern.compile(pattern);
    long end = System.nanoTime() + READY_MAX.toNanos();
    while (System.nanoTime() < end) {
      boolean alive = process.isAlive();
      String text = output();
      Matcher matcher = wanted.matcher(text);
      if (matcher.find()) {
        return matcher;
      }
      if (!alive) {
        throw new IllegalStateException(name + " ended:\n" + text);
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    throw new IllegalStateException(name + " is not up:\n" + output());
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  public Path gcLog() {
    return gcLog;
  }

  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Kills it with SIGKILL. */
  public void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Sends SIGTERM and returns the exit status. The threads of one that does not end are in its
   * output.
   */
  public int terminate() throws InterruptedException {
    return terminate(STOP_MAX);
  }

  public int terminate(Duration limit) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
      printThreads();
      process.destroyForcibly().waitFor();
      throw new IllegalStateException(
          "%s did not end within %d s".formatted(name, limit.toSeconds()));
    }
    return process.exitValue();
  }

  private void printThreads() throws InterruptedException {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      TimeUnit.SECONDS.sleep(1);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Waits for it to end by itself, and returns its exit status. */
  public int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(name + " is still running:\n" + output());
    }
    return process.exitValue();
  }

  /**
   * Runs a collection, so that the GC log ends with the live heap. Does nothing on a JRE without
   * tools.
   */
  public void collectGarbage() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "GC.run")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor(READY_MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (IOException noTools) {
      System.err.println("no " + jcmd);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Its peak resident memory; 0 if unknown. */
  public long residentMaxMegabytes() {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try {
      Matcher most = RESIDENT_MAX.matcher(Files.readString(status));
      return most.find() ? Long.parseLong(most.group(1)) >> 10 : 0;
    } catch (IOException notLinux) {
      return 0;
    }
  }

  /** The end of its output. */
  public String lastWords() {
    String text = output();
    return text.substring(Math.max(0, text.length() - 2_000));
  }

  /** Sends SIGTERM, then SIGKILL. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
        System.err.printf("%s did not end within %d s%n", name, STOP_MAX.toSeconds());
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
