package io.egress.testing;

import static java.util.Objects.requireNonNull;

import io.egress.embedded.Command;
import io.egress.embedded.EmbeddedBackendException;
import io.egress.embedded.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The machine's PgBouncer, in transaction mode in front of one database. */
public final class PgBouncer implements AutoCloseable {
  private static final Duration UP_MAX = Duration.ofSeconds(30);
  private static final Duration COMMAND_MAX = Duration.ofSeconds(10);
  private static final long CHECKS_APART_MILLIS = 20;

  /** It does not run as root. */
  private static final String UNPRIVILEGED = "nobody";

  private final Path folder;
  private final int port;
  private final String url;
  private Process process;

  private PgBouncer(Path folder, int port, String url) {
    this.folder = folder;
    this.port = port;
    this.url = url;
    this.process = launch();
  }

  public static boolean isInstalled() {
    return program().isPresent();
  }

  private static Optional<String> program() {
    return Stream.of("pgbouncer", "/usr/sbin/pgbouncer")
        .filter(program ->
            Command.run(Path.of("/"), COMMAND_MAX, List.of(program, "--version")).succeeded())
        .findFirst();
  }

  /** Everything beyond {@code serverConnections} shares them. */
  public static PgBouncer start(Path folder, String databaseUrl, int serverConnections)
      throws IOException {
    int port = FreePort.choose();
    URI database = URI.create(databaseUrl);
    String[] login = database.getUserInfo().split(":", 2);
    String name = database.getPath().substring(1);
    boolean isRoot = System.getProperty("user.name").equals("root");
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("pgbouncer.ini"),
        """
        [databases]
        %1$s = host=%2$s port=%3$d dbname=%1$s user=%4$s password=%5$s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %6$d
        unix_socket_dir =
        auth_type = any
        admin_users = %4$s
        pool_mode = transaction
        default_pool_size = %7$d
        max_client_conn = 200
        %8$s
        """
            .formatted(
                name,
                database.getHost(),
                database.getPort(),
                login[0],
                login[1],
                port,
                serverConnections,
                isRoot ? "user = " + UNPRIVILEGED : ""));
    PgBouncer started =
        new PgBouncer(
            folder, port, "postgresql://%s:unused@127.0.0.1:%d/%s".formatted(login[0], port, name));
    started.awaitUp();
    return started;
  }

  /** The URL of the database, by way of this pooler. */
  public String url() {
    return url;
  }

  public int port() {
    return port;
  }

  /** {@code kill -9}. */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** After {@link #kill}. */
  public void restart() {
    process = launch();
    awaitUp();
  }

  @Override
  public void close() {
    process.destroy();
    awaitEnd();
  }

  private Process launch() {
    try {
      return new ProcessBuilder(
              requireNonNull(program().orElse(null), "pgbouncer is not installed"),
              folder.resolve("pgbouncer.ini").toString())
          .redirectErrorStream(true)
          .redirectOutput(
              ProcessBuilder.Redirect.appendTo(folder.resolve("pgbouncer.log").toFile()))
          .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void awaitUp() {
    long end = System.nanoTime() + UP_MAX.toNanos();
    while (!accepts()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        process.destroyForcibly();
        throw new EmbeddedBackendException("PgBouncer in " + folder + " did not start");
      }
      try {
        TimeUnit.MILLISECONDS.sleep(CHECKS_APART_MILLIS);
      } catch (InterruptedException interrupted) {
        throw new EmbeddedBackendException("Interrupted while PgBouncer starts", interrupted);
      }
    }
  }

  private boolean accepts() {
    try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return connected.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(COMMAND_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
