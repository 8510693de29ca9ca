package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static io.egress.acceptance.Snippets.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
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

/**
 * The service moves to another server by logical replication, with the commands of
 * docs/upgrading.md. Both servers are of the version that the machine has.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class DatabaseSwitchTest {

  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final UUID workspace = UUID.randomUUID();
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Path folder;

  DatabaseSwitchTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void losesNothingAndKeepsCursors() throws Exception {
    Optional<Path> installed = InstalledPostgres.programs();
    assumeTrue(installed.isPresent(), "PostgreSQL's server and programs are not installed");
    Path programs = installed.orElseThrow();
    String page = Snippets.page("docs/upgrading.md");
    try (InstalledPostgres old = server(programs, "old");
        InstalledPostgres next = server(programs, "next")) {
      Shell shell = new Shell(old, next);
      Map<String, String> environment = BothRoles.environment();
      environment.put(
          "EGRESS_DATABASE_URL",
          "postgresql://egress:unused@127.0.0.1:%d,127.0.0.1:%d/egress"
              .formatted(port(old), port(next)));
      try (BothRoles roles = new BothRoles(environment)) {
        String key = roles.mintKey(workspace);
        roles.endpoint(workspace, inbox.url("crm"));
        Set<String> before = put(roles, 10);
        JsonObject read = pull(roles, key, "");
        assertThat(ids(read)).isEqualTo(before);

        shell.run(block(page, "psql \"$NEW\" -c \"alter role egress set"));
        Set<String> since = put(roles, 10);
        String copied = "select bool_and(srsubstate = 'r') from pg_subscription_rel";
        await().until(() -> next.ask(copied).equals("t"));
        shell.run(block(page, "psql \"$NEW\" -c \"select srsubstate"));

        shell.run(block(page, "set -eu"));
        String first = UUID.randomUUID().toString();
        await().ignoreExceptions().until(() -> put(roles, first));
        since.add(first);
        assertThat(roles.mintKey(workspace)).as("sequences go on").isNotEmpty();
        since.addAll(put(roles, 9));

        assertThat(next.ask("select count(*) from stream")).isEqualTo("30");
        assertThat(old.ask("select count(*) from stream")).isEqualTo("20");
        String cursor = read.getJsonObject("pageInfo").getString("endCursor");
        assertThat(ids(pull(roles, key, "&after=" + cursor))).isEqualTo(since);
        await().until(() -> inbox.captures("crm").containsAll(since));
        new Administrator(roles.internalPort(), BothRoles.TOKEN)
            .run("verify", workspace.toString());
        assertThat(inbox.accepted("crm").values()).hasSize(30).containsOnly(1);
      }
    }
  }

  private static int port(InstalledPostgres server) {
    return URI.create(server.url()).getPort();
  }

  private static InstalledPostgres server(Path programs, Path data) throws Exception {
    try (InstalledPostgres made = InstalledPostgres.create(programs, data)) {
      made.ask("create role egress login");
      made.ask("alter database egress owner to egress");
      made.ask("alter system set wal_level = logical");
    }
    return InstalledPostgres.on(programs, data);
  }

  private InstalledPostgres server(Path programs, String name) throws Exception {
    return server(programs, folder.resolve(name));
  }

  private Set<String> put(BothRoles roles, int count) {
    Set<String> ids = new HashSet<>();
    while (ids.size() < count) {
      String id = UUID.randomUUID().toString();
      put(roles, id);
      ids.add(id);
    }
    return ids;
  }

  private boolean put(BothRoles roles, String id) {
    roles.call("PUT", "/captures/" + id, conversations.next(2));
    return true;
  }

  private static JsonObject pull(BothRoles roles, String key, String after) {
    return new JsonObject(roles.pull("/api/v1/captures?limit=100" + after, key).body());
  }

  private static Set<String> ids(JsonObject pulled) {
    Set<String> ids = new HashSet<>();
    JsonArray captures = pulled.getJsonArray("captures");
    for (int i = 0; i < captures.size(); i++) {
      ids.add(captures.getJsonObject(i).getString("id"));
    }
    return ids;
  }

  /** Runs what the page shows. */
  private record Shell(InstalledPostgres old, InstalledPostgres next) {
    void run(String commands) throws Exception {
      String servers =
          "set -o pipefail; OLD='%s'; NEW='%s'%n".formatted(connection(old), connection(next));
      old.run("bash", "-ec", servers + commands);
    }

    private static String connection(InstalledPostgres server) {
      return "host=127.0.0.1 port=%d user=postgres dbname=egress".formatted(port(server));
    }
  }
}
