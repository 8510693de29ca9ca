package io.egress.bench.torture;

import io.egress.standalone.run.ChildProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of the fleet, with its own proxy to each backend. It can be stopped and restarted. */
final class Role {
  private static final Duration HEALTH_MAX = Duration.ofSeconds(2);
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(HEALTH_MAX)
          .build();
  private static final int HEAP_MEGABYTES = 256;

  private final String name;
  private final String main;
  private final Path folder;
  private final Map<String, String> settings;
  final Link database;
  final Link kafka;
  private Build build;
  private int starts;
  private volatile boolean frozen;
  private long linesLogged;
  private @Nullable ChildProcess process;

  Role(
      String name,
      String main,
      Path folder,
      Build build,
      Map<String, String> settings,
      Link database,
      Link kafka) {
    this.name = name;
    this.main = main;
    this.folder = folder;
    this.build = build;
    this.settings = new TreeMap<>(settings);
    this.database = database;
    this.kafka = kafka;
  }

  String name() {
    return name;
  }

  String setting(String setting) {
    return settings.getOrDefault(setting, "");
  }

  void start() {
    List<String> line = build.jvm(name.replaceFirst("-.*", ""), HEAP_MEGABYTES);
    line.add(main);
    process = ChildProcess.start(folder, name + "." + ++starts, line, settings);
  }

  /** The build that it is started with from now on. */
  void use(Build next) {
    build = next;
  }

  void awaitUp() throws InterruptedException {
    running().await("(api|dispatcher) is up");
  }

  /** Whether its readiness reports that {@code backend} is up; false without an answer. */
  boolean reports(String backend) {
    try {
      String answer =
          HTTP.send(
                  HttpRequest.newBuilder(
                          URI.create(
                              "http://127.0.0.1:"
                                  + setting("EGRESS_INTERNAL_PORT")
                                  + "/health/ready"))
                      .timeout(HEALTH_MAX)
                      .build(),
                  BodyHandlers.ofString())
              .body();
      return "up".equals(new JsonObject(answer).getJsonObject("checks").getString(backend));
    } catch (IOException noAnswer) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void kill() {
    running().kill();
    ended();
  }

  int terminate() throws InterruptedException {
    try {
      return running().terminate();
    } finally {
      ended();
    }
  }

  /** Freezes it with SIGSTOP, like a virtual machine during a migration. */
  void freeze() {
    frozen = true;
    signal("-STOP");
  }

  void thaw() {
    signal("-CONT");
    frozen = false;
  }

  boolean isFrozen() {
    return frozen;
  }

  boolean isAlive() {
    return process != null && process.handle().isAlive();
  }

  void close() {
    if (isAlive()) {
      thaw();
      running().close();
      ended();
    }
  }

  /** Its current memory and threads. */
  Footprint footprint() {
    Path proc = Path.of("/proc", Long.toString(running().handle().pid()));
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"));
        Stream<Path> threads = Files.list(proc.resolve("task"))) {
      return new Footprint(
          name,
          running().residentMaxMegabytes(),
          (int) descriptors.count(),
          (int) threads.count(),
          linesLogged + lines());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * The resources of a process.
   *
   * @param lines lines logged over all its starts
   */
  record Footprint(
      String name, long residentMaxMegabytes, int descriptors, int threads, long lines) {}

  private void ended() {
    linesLogged += lines();
    process = null;
  }

  private long lines() {
    return running().output().lines().count();
  }

  private ChildProcess running() {
    if (process == null) {
      throw new IllegalStateException(name + " does not run");
    }
    return process;
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", signal, Long.toString(running().handle().pid())).start().waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
