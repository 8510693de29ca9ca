package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The database is lost and restored to a moment, as docs/disaster-recovery.md says. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class RestoreTest {

  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final UUID workspace = UUID.randomUUID();
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Map<String, String> environment = BothRoles.environment();
  private final Path folder;

  RestoreTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void aServiceContinuesFromTheRestoredMoment() throws Exception {
    Optional<Path> installed = InstalledPostgres.programs();
    assumeTrue(installed.isPresent(), "PostgreSQL's server and programs are not installed");
    Path programs = installed.orElseThrow();
    Map<String, JsonObject> kept = captures(10);
    Map<String, JsonObject> sinceBackup = captures(10);
    Map<String, JsonObject> lost = captures(10);
    String key;
    String keptCursor;
    String lostCursor;
    String moment;
    try (InstalledPostgres server = InstalledPostgres.create(programs, folder.resolve("before"));
        CommandLine wal =
            server.launch(script("backup"), "wal", folder.resolve("kept").toString())) {
      awaitReceived(server, wal);
      try (Roles roles = new Roles(server)) {
        key = roles.key();
        roles.endpoint();
        roles.finish(kept);
        server.run(script("backup"), "base", folder.resolve("kept").toString(), "--keep", "2");
        roles.finish(sinceBackup);
        keptCursor = roles.endCursor(key);
        moment = server.ask("select clock_timestamp()");
        roles.finish(lost);
        lostCursor = roles.endCursor(key);
      }
      awaitReceived(server, wal);
      server.lose();
    }

    Path restored = folder.resolve("after");
    CommandLine restore =
        CommandLine.start(
            Map.of(),
            List.of(
                script("restore"),
                folder.resolve("kept").toString(),
                restored.toString(),
                "--time",
                moment));
    assertThat(restore.awaitExit()).as(restore.output()).isZero();
    try (InstalledPostgres server = InstalledPostgres.on(programs, restored)) {
      await().until(() -> server.ask("select pg_is_in_recovery()").equals("f"));
      assertThat(server.ask("select count(*) from stream")).isEqualTo("20");
      Map<String, Integer> before = Map.copyOf(inbox.accepted("crm"));
      assertThat(before).hasSize(30);
      try (Roles roles = new Roles(server)) {
        assertThat(roles.pull(key, lostCursor).statusCode()).isEqualTo(400);
        assertThat(roles.pull(key, keptCursor).statusCode()).isEqualTo(200);
        roles.run("rebuild-queue");
        roles.finish(lost);
        roles.finish(captures(5));
        JsonObject page = new JsonObject(roles.pull(key, keptCursor).body());
        assertThat(page.getJsonArray("captures")).hasSize(15);
        await().until(() -> roles.verified().getLong("delivered") == 35);
        roles.run("verify", workspace.toString());
      }
      assertThat(inbox.accepted("crm"))
          .as("what was put again was delivered again, under the same ids")
          .hasSize(35)
          .containsAllEntriesOf(twice(before, lost));
    }
  }

  /** Those of lost captures once more. */
  private Map<String, Integer> twice(Map<String, Integer> before, Map<String, JsonObject> lost) {
    Map<String, Integer> expected = new HashMap<>();
    Set<String> again = new HashSet<>(lost.keySet());
    before.forEach((delivery, times) ->
        expected.put(delivery, again.contains(inbox.captureOf(delivery)) ? 2 : times));
    return expected;
  }

  /** Until everything that is committed is in the backup. */
  private static void awaitReceived(InstalledPostgres server, CommandLine wal) throws Exception {
    String end = server.ask("select pg_current_wal_flush_lsn()");
    String received =
        "select coalesce(bool_or(flush_lsn >= '%s'), false) from pg_stat_replication"
            .formatted(end);
    await().untilAsserted(() -> assertThat(server.ask(received)).as(wal.output()).isEqualTo("t"));
  }

  private static String script(String name) {
    return Path.of("..", "..", "deploy", name).toAbsolutePath().normalize().toString();
  }

  private Map<String, JsonObject> captures(int count) {
    Map<String, JsonObject> captures = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      captures.put(UUID.randomUUID().toString(), conversations.next(2));
    }
    return captures;
  }

  /** Both roles on a server. */
  private final class Roles implements AutoCloseable {
    private final BothRoles roles;

    private Roles(InstalledPostgres server) {
      environment.put("EGRESS_DATABASE_URL", server.url());
      roles = new BothRoles(environment);
    }

    private String key() {
      return roles.mintKey(workspace);
    }

    private void endpoint() {
      roles.endpoint(workspace, inbox.url("crm"));
    }

    /** One after the other, until the last is delivered. */
    private void finish(Map<String, JsonObject> captures) {
      captures.forEach((id, capture) -> roles.call("PUT", "/captures/" + id, capture));
      await().until(() -> inbox.captures("crm").containsAll(captures.keySet()));
    }

    private JsonObject verified() {
      return roles.verification(workspace);
    }

    private String endCursor(String key) {
      return new JsonObject(pull(key, "").body()).getJsonObject("pageInfo").getString("endCursor");
    }

    private HttpResponse<String> pull(String key, String after) {
      return roles.pull(
          "/api/v1/captures?limit=100" + (after.isEmpty() ? "" : "&after=" + after), key);
    }

    private void run(String... arguments) {
      new Administrator(roles.internalPort(), BothRoles.TOKEN).run(arguments);
    }

    @Override
    public void close() {
      roles.close();
    }
  }
}
