package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.embedded.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A server of the machine's PostgreSQL, whose programs for backups come with it. */
final class InstalledPostgres implements AutoCloseable {
  /** PostgreSQL refuses to run as root. */
  private static final List<String> UNPRIVILEGED =
      System.getProperty("user.name").equals("root") ? List.of("unshare", "-U") : List.of();

  private final Path programs;
  private final Path data;
  private final int port = FreePort.choose();

  private InstalledPostgres(Path programs, Path data) {
    this.programs = programs;
    this.data = data;
  }

  /** The folder of its programs. */
  static Optional<Path> programs() throws IOException {
    Path debian = Path.of("/usr/lib/postgresql");
    List<Path> folders = new ArrayList<>();
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions.map(version -> version.resolve("bin")).sorted().forEach(folders::add);
      }
    }
    for (String folder : System.getenv("PATH").split(":", -1)) {
      folders.add(Path.of(folder));
    }
    return folders.stream()
        .filter(folder ->
            Stream.of("initdb", "postgres", "pg_basebackup", "pg_receivewal", "pg_verifybackup")
                .allMatch(program -> Files.isExecutable(folder.resolve(program))))
        .findFirst();
  }

  /** A new, empty one. */
  static InstalledPostgres create(Path programs, Path data) throws Exception {
    InstalledPostgres made = new InstalledPostgres(programs, data);
    made.run("initdb", "--pgdata=" + data, "--username=postgres", "--auth=trust");
    made.start();
    made.run("createdb", "egress");
    return made;
  }

  /** On a data directory that is there. */
  static InstalledPostgres on(Path programs, Path data) throws Exception {
    InstalledPostgres server = new InstalledPostgres(programs, data);
    server.start();
    return server;
  }

  String url() {
    return "postgresql://postgres:unused@127.0.0.1:%d/egress".formatted(port);
  }

  /** Runs a program of PostgreSQL, or a script that uses them; returns what it has printed. */
  String run(String... command) throws Exception {
    CommandLine program = launch(command);
    int status = program.awaitExit();
    String output = program.output();
    program.close();
    assertThat(status).as(String.join(" ", command) + ": " + output).isZero();
    return output;
  }

  CommandLine launch(String... command) throws IOException {
    List<String> whole = new ArrayList<>(UNPRIVILEGED);
    whole.addAll(List.of("env", "PATH=" + programs + ":" + System.getenv("PATH")));
    whole.addAll(List.of(command));
    return CommandLine.start(
        Map.of("PGHOST", "127.0.0.1", "PGPORT", Integer.toString(port), "PGUSER", "postgres"),
        whole);
  }

  String ask(String sql) throws Exception {
    return run("psql", "--no-psqlrc", "-At", "--dbname=egress", "--command=" + sql).strip();
  }

  /** As a machine that is lost. */
  void lose() throws Exception {
    run("pg_ctl", "--pgdata=" + data, "--mode=immediate", "--wait", "stop");
  }

  @Override
  public void close() {
    try {
      if (Files.exists(data.resolve("postmaster.pid"))) {
        run("pg_ctl", "--pgdata=" + data, "--mode=fast", "--wait", "stop");
      }
    } catch (Exception failure) {
      throw new IllegalStateException("PostgreSQL was not stopped", failure);
    }
  }

  private void start() throws Exception {
    run(
        "pg_ctl",
        "--pgdata=" + data,
        "--log=" + data.resolve("server.log"),
        "--options=-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories=",
        "--wait",
        "start");
  }
}
