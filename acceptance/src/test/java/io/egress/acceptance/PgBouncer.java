package io.egress.acceptance;

import static org.awaitility.Awaitility.await;

import io.egress.embedded.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real PgBouncer, of the machine, in transaction mode in front of one database. */
final class PgBouncer implements AutoCloseable {
  private static final Duration UP_MAX = Duration.ofSeconds(30);

  /** It does not run as root. */
  private static final String UNPRIVILEGED = "nobody";

  private final Process process;
  private final String url;

  private PgBouncer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  static boolean isInstalled() {
    return program().isPresent();
  }

  private static Optional<String> program() {
    return Stream.of("pgbouncer", "/usr/sbin/pgbouncer")
        .filter(program -> PrometheusServer.runs(program, "--version"))
        .findFirst();
  }

  /** Everything beyond {@code serverConnections} shares them. */
  static PgBouncer start(Path folder, String databaseUrl, int serverConnections)
      throws IOException {
    int port = FreePort.choose();
    URI database = URI.create(databaseUrl);
    String[] login = database.getUserInfo().split(":", 2);
    String name = database.getPath().substring(1);
    boolean isRoot = System.getProperty("user.name").equals("root");
    Path config =
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
    Process process =
        new ProcessBuilder(program().orElseThrow(), config.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("pgbouncer.log").toFile())
            .start();
    await().atMost(UP_MAX).until(() -> accepts(port));
    return new PgBouncer(
        process, "postgresql://%s:unused@127.0.0.1:%d/%s".formatted(login[0], port, name));
  }

  String url() {
    return url;
  }

  private static boolean accepts(int port) {
    try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return connected.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
