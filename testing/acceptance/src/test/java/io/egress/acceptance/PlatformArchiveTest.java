package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code deploy/layout --with-runtime} lays out runs on a system without Java. */
@Tag("full")
class PlatformArchiveTest {
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final String FOLDER = "opt/transcript-egress";

  /** Waits for words in the log of a process that runs. */
  private static final String WAIT =
      """
      cd /opt/transcript-egress
      # await LOG PID WORDS
      await() { until grep -q "$3" "$1"; do kill -0 "$2" || { cat "$1"; exit 1; }; sleep 0.2; done; }
      """;

  /** Each role in turn, on the servers of {@code up}. */
  private static final String ROLES =
      """
      export EGRESS_DATA_DIR=/var/data EGRESS_PUBLIC_PORT=0 EGRESS_INTERNAL_PORT=0
      ./egress up >/tmp/up.log 2>&1 & up=$!
      await /tmp/up.log $up 'up: pull on'
      port() { sed -n "s/.*$1 ready on 127.0.0.1:\\([0-9]*\\) .*/\\1/p" /tmp/up.log; }
      export EGRESS_KAFKA_BOOTSTRAP=127.0.0.1:$(port Kafka)
      export EGRESS_DATABASE_URL=postgresql://egress:$(cat /var/data/postgres/password)@127.0.0.1:$(port PostgreSQL)/egress
      export EGRESS_INTERNAL_TOKEN=$(cat /var/data/internal-token) EGRESS_SECRET_KEY=$(cat /var/data/secret-key)
      for role in api dispatcher; do
        ./egress $role >/tmp/$role.log 2>&1 & pid=$!
        await /tmp/$role.log $pid "$role is up"
        kill $pid
        wait $pid
      done
      kill $up
      wait $up
      cat /tmp/up.log /tmp/api.log /tmp/dispatcher.log
      """;

  @TempDir private static Path temporary;
  private static WithoutJava system;

  @BeforeAll
  static void unpack() throws Exception {
    system = WithoutJava.make(temporary.resolve("root"));
    try (CommandLine layout =
        CommandLine.start(
            Map.of("JAVA_HOME", System.getProperty("java.home")),
            List.of(
                ROOT.resolve("deploy/layout").toString(),
                "--with-runtime",
                system.resolve(FOLDER).toString()))) {
      assertThat(layout.awaitExit()).as(layout.output()).isZero();
    }
  }

  @Test
  void theSystemHasNoJavaOfItsOwn() throws Exception {
    assertThat(system.hasProgram("java")).isFalse();
    assertThat(run("! command -v java")).isEmpty();
  }

  /** As a file, and no longer in jars. */
  @Test
  void hasNativeTlsOnce() throws Exception {
    assertThat(names("native")).singleElement().asString().startsWith("libnetty_tcnative_");
    assertThat(names("lib"))
        .hasSizeGreaterThan(50)
        .noneMatch(jar -> jar.matches("netty-tcnative.*-(linux|osx|windows)-.*"));
  }

  @Test
  void commandsRun() throws Exception {
    assertThat(run("cd /; /opt/transcript-egress/egress --version")).contains("Transcript Egress ");
    assertThat(run("/opt/transcript-egress/egress --help")).contains("demo", "dispatcher");
    assertThat(run("/opt/transcript-egress/egress mirror --help")).contains("--base-url");
    assertThat(Files.exists(system.resolve(FOLDER).resolve("egress-runtime.jsa"))).isTrue();
  }

  @Test
  void theDemoVerifiesWebhooks() throws Exception {
    assertThat(run("cd /opt/transcript-egress; ./egress demo --seconds 4"))
        .containsPattern("[1-9] captures finished, \\d+ webhooks verified");
  }

  @Test
  void rolesRunBesideAllInOne() throws Exception {
    assertThat(run(WAIT + ROLES)).contains("api is up", "dispatcher is up", "up: pull on");
  }

  @Test
  @Tag("long")
  void theCacheOfATrainingRunFitsBothRoles() throws Exception {
    assertThat(
            run(
                WAIT
                    + "./egress train\nexport JAVA_OPTS=-Xlog:class+load:file=/tmp/classes-%p\n"
                    + ROLES
                    + "rm -r aot\ngrep -l 'io.egress.api.ApiApp source: shared objects file' /tmp/classes-*\n"
                    + "grep -l 'io.egress.dispatcher.DispatcherApp source: shared objects file' /tmp/classes-*\n"))
        .contains("service.aot", "api is up", "dispatcher is up", "/tmp/classes-")
        .doesNotContain("is not used");
  }

  private static List<String> names(String folder) throws IOException {
    try (Stream<Path> files = Files.list(system.resolve(FOLDER).resolve(folder))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static String run(String lines) throws Exception {
    try (CommandLine shell = system.start(lines)) {
      assertThat(shell.awaitExit()).as(shell.output()).isZero();
      return shell.output();
    }
  }
}
