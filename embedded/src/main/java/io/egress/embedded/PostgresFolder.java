package io.egress.embedded;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.APPEND;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** The files of one PostgreSQL server: cluster, settings, password, log. */
record PostgresFolder(Path root) {
  static final String USER = "egress";
  private static final Duration INIT_LIMIT = Duration.ofMinutes(2);

  /** Its presence makes a server a standby; a promotion removes it. */
  private static final String FOLLOWS = "standby.signal";

  private static final String SETTINGS_FILE = "egress.conf";
  private static final int PASSWORD_BYTES = 24;
  private static final int LOG_TAIL_CHARS = 2_000;

  Path data() {
    return root.resolve("data");
  }

  Path ports() {
    return root.resolve("port");
  }

  /** Receives the server's output until its log collector runs. */
  Path startLog() {
    return root.resolve("start.log");
  }

  private Path log() {
    return root.resolve("log");
  }

  private Path passwordFile() {
    return root.resolve("password");
  }

  String password() throws IOException {
    return Files.readString(passwordFile(), UTF_8).strip();
  }

  /**
   * The cluster is renamed into place when it is complete, so an interrupted initialization starts
   * over.
   */
  void initialise(PostgresBinaries binaries, ServerAccount account, Durability durability)
      throws IOException {
    if (Files.exists(data())) {
      requireVersionOf(binaries);
      account.own(root);
      account.requireReach(root);
      return;
    }
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
    Path unfinished = root.resolve("data.unfinished");
    FileTrees.delete(unfinished);
    if (!Files.exists(passwordFile())) {
      writePassword();
    }
    account.own(root);
    account.requireReach(root);
    Command.Result result =
        Command.run(root, INIT_LIMIT, account.command(initdb(binaries, unfinished, durability)));
    if (!result.succeeded()) {
      throw new EmbeddedBackendException(
          "PostgreSQL cannot be initialized in %s by %s: %s"
              .formatted(root, binaries.initdb(), result.output()));
    }
    Files.writeString(
        unfinished.resolve("postgresql.conf"), "include '" + SETTINGS_FILE + "'\n", APPEND);
    Files.move(unfinished, data(), ATOMIC_MOVE);
  }

  private void requireVersionOf(PostgresBinaries binaries) throws IOException {
    String written = Files.readString(data().resolve("PG_VERSION")).strip();
    String available = binaries.majorVersion();
    if (!written.equals(available)) {
      throw new EmbeddedBackendException(
          "%s was written by PostgreSQL %s, and this release brings PostgreSQL %s. docs/upgrading.md says how to upgrade it"
              .formatted(data(), written, available));
    }
  }

  /** Copies the data of a stopped server, unless there is some. */
  void copy(PostgresFolder original) throws IOException {
    if (!Files.exists(data())) {
      Path unfinished = beginCopy(original);
      BaseBackup.copyFiles(original.data(), unfinished);
      Files.move(unfinished, data(), ATOMIC_MOVE);
    }
  }

  private Path beginCopy(PostgresFolder original) throws IOException {
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
    Files.copy(original.passwordFile(), passwordFile(), REPLACE_EXISTING, COPY_ATTRIBUTES);
    Path unfinished = root.resolve("data.unfinished");
    FileTrees.delete(unfinished);
    return unfinished;
  }

  /** Copies the data of a running server, to follow it. */
  void follow(PostgresFolder primary, DatabaseAddress address, ServerAccount account)
      throws IOException {
    if (!Files.exists(data())) {
      Path unfinished = beginCopy(primary);
      BaseBackup.of(address, primary.data()).copyTo(unfinished);
      Files.writeString(unfinished.resolve(FOLLOWS), "");
      Files.writeString(
          unfinished.resolve("postgresql.auto.conf"),
          "primary_conninfo = '%s'%n"
              .formatted(address.connectionString(root.getFileName().toString())),
          APPEND);
      Files.move(unfinished, data(), ATOMIC_MOVE);
    }
    account.own(root);
    account.requireReach(root);
  }

  private List<String> initdb(PostgresBinaries binaries, Path target, Durability durability) {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.initdb().toString(),
                "--pgdata=" + target,
                "--username=" + USER,
                "--auth=scram-sha-256",
                // Iterations protect a password that could be guessed. This one is random, and the
                // default of 4096 is most of what a connection costs a young JVM.
                "-c",
                "scram_iterations=1",
                "--pwfile=" + passwordFile(),
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8"));
    if (durability == Durability.UNSYNCED) {
      command.add("--no-sync");
    }
    return command;
  }

  private void writePassword() throws IOException {
    byte[] password = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(password);
    Path unfinished = root.resolve("password.unfinished");
    Files.deleteIfExists(unfinished);
    Files.createFile(
        unfinished,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(unfinished, HexFormat.of().formatHex(password), UTF_8);
    Files.move(unfinished, passwordFile(), ATOMIC_MOVE);
  }

  void writeSettings(int port, Durability durability) throws IOException {
    boolean synced = durability == Durability.SYNCED;
    List<String> settings =
        new ArrayList<>(
            List.of(
                "# written anew at every start",
                "listen_addresses = '127.0.0.1'",
                "port = " + port,
                "unix_socket_directories = ''",
                "max_connections = 200",
                "shared_buffers = " + (synced ? "'256MB'" : "'128MB'"),
                "timezone = 'UTC'",
                "log_timezone = 'UTC'",
                "jit = off",
                "fsync = " + (synced ? "on" : "off"),
                "synchronous_commit = on",
                "full_page_writes = " + (synced ? "on" : "off")));
    settings.addAll(logSettings());
    Files.write(data().resolve(SETTINGS_FILE), settings, UTF_8);
  }

  /** One file for each weekday, overwritten a week later. */
  private static List<String> logSettings() {
    return List.of(
        "logging_collector = on",
        "log_directory = '../log'",
        "log_filename = 'postgresql-%a.log'",
        "log_truncate_on_rotation = on",
        "log_rotation_age = '1d'",
        "log_rotation_size = 0",
        "log_checkpoints = off");
  }

  /** The server's output since {@code start}, for the message of a failed start. */
  String logTail(FileTime start) throws IOException {
    StringBuilder tail = new StringBuilder();
    for (Path file : logFiles()) {
      if (Files.exists(file) && Files.getLastModifiedTime(file).compareTo(start) >= 0) {
        String text = Files.readString(file, ISO_8859_1);
        tail.append(text.substring(Math.max(0, text.length() - LOG_TAIL_CHARS)));
      }
    }
    return tail.toString().strip();
  }

  private List<Path> logFiles() throws IOException {
    List<Path> files = new ArrayList<>(List.of(startLog()));
    if (Files.exists(log())) {
      try (Stream<Path> logs = Files.list(log())) {
        logs.forEach(files::add);
      }
    }
    return files;
  }
}
