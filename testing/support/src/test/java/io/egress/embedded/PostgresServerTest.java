package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.testing.Traces;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT)
class PostgresServerTest {
  private final Path folder;

  PostgresServerTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private PostgresServer start() {
    return PostgresServer.start(folder, Durability.UNSYNCED);
  }

  @Test
  void restartsOnItsPortWithItsData() throws Exception {
    try (PostgresServer server = start()) {
      String url = server.databaseUrl();
      Traces.leaveRow(url, "row");

      server.stop();
      assertThatThrownBy(() -> Traces.rows(url)).isInstanceOf(SQLException.class);
      server.start();
      server.start();

      assertThat(server.databaseUrl()).isEqualTo(url);
      assertThat(Traces.rows(url)).containsExactly("row");
      assertThat(Traces.query(url, "SHOW listen_addresses")).containsExactly("127.0.0.1");
    }
  }

  @Test
  @Tag("full")
  void comesBackAfterItsProcessWasKilled() throws Exception {
    try (PostgresServer server = start()) {
      Traces.leaveRow(server.databaseUrl(), "row");
      postmaster().process().destroyForcibly();
      await().until(() -> Postmaster.of(folder.toRealPath().resolve("data")).isEmpty());

      server.start();

      assertThat(Traces.rows(server.databaseUrl())).containsExactly("row");
    }
  }

  @Test
  @Tag("full")
  void aCopyHasItsOwnData() throws Exception {
    Path original = folder.resolve("original");
    try (PostgresServer server = PostgresServer.start(original, Durability.UNSYNCED)) {
      Traces.leaveRow(server.databaseUrl(), "row");
    }
    Path second = folder.resolve("copy");
    try (PostgresServer server = PostgresServer.startCopy(second, original, Durability.UNSYNCED)) {
      Traces.leaveRow(server.databaseUrl(), "another");
      assertThat(Traces.rows(server.databaseUrl())).containsExactly("row", "another");

      server.discard();
      assertThat(second.resolve("data")).doesNotExist();
      assertThat(second.resolve("log")).isNotEmptyDirectory();
    }
    try (PostgresServer server = PostgresServer.start(original, Durability.UNSYNCED)) {
      assertThat(Traces.rows(server.databaseUrl())).containsExactly("row");
    }
  }

  @Test
  @Tag("full")
  void refusesDataOfAnotherMajorVersion() throws Exception {
    try (PostgresServer server = start()) {
      server.stop();
    }
    Files.writeString(folder.resolve("data").resolve("PG_VERSION"), "16\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining("was written by PostgreSQL 16, and this release brings PostgreSQL 1")
        .hasMessageContaining("docs/upgrading.md");
  }

  @Test
  @Tag("full")
  void requiresItsGeneratedPassword() throws Exception {
    try (PostgresServer server = start()) {
      Path file = folder.resolve("password");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      String wrong = server.databaseUrl().replace(Files.readString(file), "wrong");
      assertThatThrownBy(() -> Traces.query(wrong, "SELECT 1"))
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  @Tag("full")
  void movesWhenItsPortIsTaken() throws Exception {
    String before;
    try (PostgresServer server = start()) {
      before = server.databaseUrl();
      Traces.leaveRow(before, "row");
    }
    try (ServerSocket taken =
            new ServerSocket(URI.create(before).getPort(), 1, InetAddress.getLoopbackAddress());
        PostgresServer server = start()) {
      assertThat(URI.create(server.databaseUrl()).getPort()).isNotEqualTo(taken.getLocalPort());
      assertThat(Traces.rows(server.databaseUrl())).containsExactly("row");
    }
  }

  @Test
  @Tag("full")
  void returnsToItsPortOnceThatIsFree() throws Exception {
    try (PostgresServer server = start()) {
      int port = URI.create(server.databaseUrl()).getPort();
      server.stop();
      try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThatThrownBy(server::start)
            .isInstanceOf(EmbeddedBackendException.class)
            .hasMessageContaining(Integer.toString(taken.getLocalPort()));
      }
      server.start();
      assertThat(Traces.query(server.databaseUrl(), "SELECT 1")).containsExactly("1");
    }
  }

  @Test
  @Tag("full")
  void ignoresAPidFileOfAnotherProcess() throws Exception {
    start().close();
    Path pidFile = folder.resolve("data/postmaster.pid");
    Files.write(pidFile, List.of(Long.toString(ProcessHandle.current().pid()), "elsewhere"));
    try (PostgresServer server = start()) {
      assertThat(Traces.query(server.databaseUrl(), "SELECT 1")).containsExactly("1");
    }
  }

  @Test
  @Tag("full")
  void startsOverAfterAnInterruptedInitialization() throws Exception {
    Path unfinished = folder.resolve("data.unfinished");
    Files.createDirectories(unfinished.resolve("base"));
    Files.writeString(unfinished.resolve("PG_VERSION"), "17");
    try (PostgresServer server = start()) {
      assertThat(Traces.query(server.databaseUrl(), "SELECT 1")).containsExactly("1");
      assertThat(unfinished).doesNotExist();
    }
  }

  @Test
  @Tag("full")
  void reportsPostgresLogWhenItDoesNotStart() throws Exception {
    start().close();
    Files.writeString(folder.resolve("data/postgresql.conf"), "no_such_setting = 1\n");
    assertThatThrownBy(this::start)
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining(folder.toRealPath().toString())
        .hasMessageContaining("no_such_setting");
  }

  @ParameterizedTest
  @EnumSource(ServerAccount.Way.class)
  @Tag("full")
  void runsUnprivilegedWhenStartedByRoot(ServerAccount.Way way) throws Exception {
    ServerAccount account = rootsAccount(way);
    everybodyMayPass(folder);
    try (PostgresServer server = PostgresServer.start(folder, Durability.UNSYNCED, account)) {
      Traces.leaveRow(server.databaseUrl(), "row");
      assertThat(postmaster().process().isAlive()).isTrue();
    }
    try (PostgresServer server = start()) {
      assertThat(Traces.rows(server.databaseUrl())).containsExactly("row");
    }
  }

  @Test
  void reportsAFolderThatItsUnprivilegedUserCannotReach() throws Exception {
    ServerAccount account = rootsAccount(ServerAccount.Way.SETPRIV);
    Path closed = folder.resolve("server");
    assertThatThrownBy(() -> PostgresServer.start(closed, Durability.UNSYNCED, account))
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining("user " + account.name())
        .hasMessageContaining(closed.toRealPath().toString());
  }

  @Test
  void explainsWhatToDoIfRootCannotBeDropped() {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root has to give up root");
    assertThatThrownBy(() -> ServerAccount.choose(Set.of()))
        .isInstanceOf(EmbeddedBackendException.class)
        .hasMessageContaining("Run as an ordinary user");
  }

  private static ServerAccount rootsAccount(ServerAccount.Way way) {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root has to give up root");
    try {
      return ServerAccount.choose(Set.of(way));
    } catch (EmbeddedBackendException missing) {
      assumeTrue(false, way + " does not work on this machine");
      throw missing;
    }
  }

  private static void everybodyMayPass(Path folder) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
  }

  private Postmaster postmaster() throws Exception {
    return Postmaster.of(folder.toRealPath().resolve("data")).orElseThrow();
  }
}
