package io.egress.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server on 127.0.0.1 with a data folder of its own. It can be stopped and restarted
 * on the same port.
 */
public final class PostgresServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresServer.class);
  private static final String MAINTENANCE_DATABASE = "postgres";
  private static final String DATABASE = "egress";
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  private final DataDirectoryLock lock;
  private final PostgresFolder folder;
  private final PostgresBinaries binaries;
  private final ServerAccount account;
  private final Durability durability;
  private final @Nullable PostgresServer followed;
  private final Map<String, String> environment;
  private int port;
  private String password = "";
  private volatile boolean wanted;
  private boolean closed;

  private PostgresServer(
      DataDirectoryLock lock,
      PostgresBinaries binaries,
      ServerAccount account,
      Durability durability,
      @Nullable PostgresServer followed,
      Map<String, String> environment) {
    this.lock = lock;
    this.folder = new PostgresFolder(lock.folder());
    this.binaries = binaries;
    this.account = account;
    this.durability = durability;
    this.followed = followed;
    this.environment = Map.copyOf(environment);
  }

  /** Blocks until the server answers. A server that a killed process left behind is stopped. */
  public static PostgresServer start(Path folder, Durability durability) {
    return start(folder, durability, ServerAccount.choose());
  }

  /** The same, whose processes have these environment variables in addition. */
  public static PostgresServer start(
      Path folder, Durability durability, Map<String, String> environment) {
    return start(folder, durability, ServerAccount.choose(), null, environment);
  }

  /** The same on a copy of the data in {@code original}, whose server must not run. */
  public static PostgresServer startCopy(Path folder, Path original, Durability durability) {
    try {
      new PostgresFolder(Files.createDirectories(folder)).copy(new PostgresFolder(original));
    } catch (IOException failure) {
      throw new EmbeddedBackendException(
          "%s cannot be copied to %s: %s".formatted(original, folder, failure), failure);
    }
    return start(folder, durability);
  }

  /**
   * A standby that streams from {@code primary}, as the application {@code name}. Without data of
   * its own it begins with a copy of the primary's, which has to run.
   */
  public static PostgresServer startStandby(Path folder, PostgresServer primary) {
    return start(folder, primary.durability, primary.account, primary, primary.environment);
  }

  static PostgresServer start(Path folder, Durability durability, ServerAccount account) {
    return start(folder, durability, account, null, Map.of());
  }

  private static PostgresServer start(
      Path folder,
      Durability durability,
      ServerAccount account,
      @Nullable PostgresServer followed,
      Map<String, String> environment) {
    PostgresBinaries binaries = PostgresBinaries.unpacked();
    DataDirectoryLock lock = DataDirectoryLock.acquire(folder);
    PostgresServer server =
        new PostgresServer(lock, binaries, account, durability, followed, environment);
    boolean started = false;
    try {
      server.open();
      started = true;
      return server;
    } finally {
      if (!started) {
        server.close();
      }
    }
  }

  private synchronized void open() {
    try {
      stopLeftBehind(folder.data());
      account.requireReach(binaries.home());
      if (followed == null) {
        folder.initialise(binaries, account, durability);
      } else {
        folder.follow(followed.folder, followed.address(MAINTENANCE_DATABASE), account);
      }
      password = folder.password();
      port = KeptPorts.keptOrFree(folder.ports(), 1, "PostgreSQL").get(0);
    } catch (IOException failure) {
      throw failed(failure);
    }
    start();
  }

  static void stopLeftBehind(Path data) throws IOException {
    Optional<Postmaster> leftBehind = Postmaster.of(data);
    if (leftBehind.isPresent()) {
      long pid = leftBehind.get().process().pid();
      log.warn("Stopping PostgreSQL process {}, which an earlier run left behind in {}", pid, data);
      leftBehind.get().stop(STOP_LIMIT);
    }
    Postmaster.forget(data);
  }

  /** Does nothing while the server runs; otherwise blocks until it answers again. */
  public synchronized void start() {
    requireOpen();
    wanted = true;
    if (Postmaster.of(folder.data()).isPresent()) {
      return;
    }
    try {
      launch();
      if (followed == null) {
        createDatabase();
      }
    } catch (IOException | SQLException failure) {
      throw failed(failure);
    }
    log.info("PostgreSQL ready on 127.0.0.1:{} with its data in {}", port, folder.root());
  }

  private void createDatabase() throws SQLException {
    DatabaseAddress maintenance = address(MAINTENANCE_DATABASE);
    if (!maintenance.hasDatabase(DATABASE)) {
      maintenance.createDatabase(DATABASE);
    }
  }

  /** Starts it again if it has ended by itself. */
  synchronized void restartIfFailed() {
    if (wanted && !closed && Postmaster.of(folder.data()).isEmpty()) {
      log.warn("PostgreSQL in {} has ended; restarting it", folder.root());
      start();
    }
  }

  private void launch() throws IOException {
    Postmaster.forget(folder.data());
    folder.writeSettings(port, durability);
    if (!KeptPorts.becomesFree(port)) {
      throw new EmbeddedBackendException(
          "PostgreSQL in %s did not start: port %d is taken".formatted(folder.root(), port));
    }
    Files.deleteIfExists(folder.startLog());
    FileTime before = FileTime.from(Instant.now().minusSeconds(1));
    Command.Result result =
        Command.run(folder.root(), START_LIMIT.plusSeconds(10), account.command(pgCtlStart()));
    if (!result.succeeded()) {
      throw new EmbeddedBackendException(
          "PostgreSQL of %s did not start in %s: %s%n%s"
              .formatted(binaries.home(), folder.root(), result.output(), folder.logTail(before)));
    }
  }

  private List<String> pgCtlStart() {
    List<String> command = new ArrayList<>();
    if (!environment.isEmpty()) {
      command.add("env");
      environment.forEach((name, value) -> command.add(name + "=" + value));
    }
    command.addAll(
        List.of(
            binaries.pgCtl().toString(),
            "start",
            "--pgdata=" + folder.data(),
            "--log=" + folder.startLog(),
            "--wait",
            "--timeout=" + START_LIMIT.toSeconds()));
    return command;
  }

  /**
   * Closes all connections, waits until the data is on disk, and keeps the port for the next start.
   */
  public synchronized void stop() {
    requireOpen();
    wanted = false;
    Postmaster.of(folder.data()).ifPresent(postmaster -> postmaster.stop(STOP_LIMIT));
  }

  /** Like a crash: without a checkpoint, and without telling its clients. */
  public synchronized void kill() {
    wanted = false;
    Postmaster.of(folder.data()).ifPresent(Postmaster::kill);
  }

  /** For data that will be deleted. */
  synchronized void stopAtOnce() {
    wanted = false;
    Postmaster.of(folder.data()).ifPresent(Postmaster::stopAtOnce);
  }

  /**
   * The URL of the database created at the start, {@code
   * postgresql://user:password@127.0.0.1:port/name}.
   */
  public String databaseUrl() {
    return address(DATABASE).url();
  }

  /** Executes a statement. Returns the first value of its result, or null without one. */
  public @Nullable String query(String sql) {
    try (Connection connection = address(DATABASE).connect();
        Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return null;
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() ? rows.getString(1) : null;
      }
    } catch (SQLException failure) {
      throw new EmbeddedBackendException("\"%s\" failed: %s".formatted(sql, failure), failure);
    }
  }

  /** Changes the running server: {@code set name = value}, or {@code reset name}. */
  public void alter(String change) {
    query("alter system " + change);
    query("select pg_reload_conf()");
  }

  public int port() {
    return port;
  }

  private DatabaseAddress address(String database) {
    return DatabaseAddress.loopback(port, PostgresFolder.USER, password, database);
  }

  private EmbeddedBackendException failed(Exception failure) {
    return new EmbeddedBackendException(
        "PostgreSQL in %s did not start: %s".formatted(folder.root(), failure), failure);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("PostgreSQL in " + folder.root() + " is closed");
    }
  }

  /** Stops the server and releases the folder. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    try {
      stop();
    } finally {
      closed = true;
      lock.close();
    }
  }

  /** Stops it for good and deletes its data; what it logged stays. */
  public synchronized void discard() {
    close();
    FileTrees.delete(folder.data());
  }
}
