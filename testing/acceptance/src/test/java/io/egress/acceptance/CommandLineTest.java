package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.cli.InternalApi;
import io.egress.standalone.demo.SampleConversations;
import io.egress.testing.ClosedPort;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the README shows, each command in a process of its own. */
@Execution(ExecutionMode.CONCURRENT)
class CommandLineTest {

  private final Path folder;

  CommandLineTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @Test
  @Tag("full")
  void upContinuesAfterAKill() throws Exception {
    UUID workspace = UUID.randomUUID();
    Path secretKey = folder.resolve("data").resolve("secret-key");
    String sealed;
    String key;
    String cursor;
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      up.awaitOutput("EGRESS_INTERNAL_TOKEN was generated and stored in (\\S+)");
      String token = token();
      assertThat(up.output()).as("nobody reads it at a terminal").doesNotContain(token);
      assertThat(up.awaitOutput("EGRESS_SECRET_KEY was generated and stored in ([^;]+);"))
          .isEqualTo(secretKey.toString());
      sealed = Files.readString(secretKey).strip();
      assertThat(up.output()).doesNotContain(sealed);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secretKey)))
          .isEqualTo("rw-------");
      InternalApi api = api(up, token);
      put(api, workspace);
      String minted =
          api.call(
                  "POST",
                  "/workspaces/" + workspace + "/api-keys",
                  new JsonObject().put("name", "a"))
              .getString("key");
      key = minted;
      String url = pullUrl(up);
      await().until(() -> Pull.captures(url, minted).size() == 1);
      cursor = Pull.page(url, key).getJsonObject("pageInfo").getString("endCursor");
      put(api, workspace);
      try (CommandLine audit =
          administer("audit", internalPort(up), "export", "--action", "api_key.created")) {
        assertThat(audit.awaitExit()).as(audit.output()).isZero();
        assertThat(new JsonObject(audit.output()).getString("workspace_id"))
            .isEqualTo(workspace.toString());
      }
      up.kill();
    }
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String url = pullUrl(up);
      String after = url + "?after=" + cursor;
      await().until(() -> Pull.captures(after, key).size() == 1);
      assertThat(up.output())
          .as("what was made is told once")
          .doesNotContain("EGRESS_INTERNAL_TOKEN")
          .doesNotContain("EGRESS_SECRET_KEY")
          .doesNotContain(sealed);
      assertThat(Files.readString(secretKey).strip()).isEqualTo(sealed);

      try (CommandLine second = CommandLine.start(environment(), "up")) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.output()).contains(folder.resolve("data").toString());
      }
      assertThat(Pull.captures(url, key).size()).isEqualTo(2);
      up.terminate();
      assertThat(up.awaitExit()).as(up.output()).isZero();
    }
  }

  @Test
  void reportsEveryInvalidSettingAndExitsWith2() throws Exception {
    try (CommandLine api =
        CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "x", "EGRESS_TYPO", "1"), "api")) {
      assertThat(api.awaitExit()).isEqualTo(2);
      assertThat(api.output())
          .contains("EGRESS_PUBLIC_PORT: must be a whole number")
          .contains("EGRESS_TYPO is not a setting")
          .contains("EGRESS_DATABASE_URL is required")
          .doesNotContain("Exception");
    }
  }

  @Test
  void upReportsObstaclesBeforeStartingAnything() throws Exception {
    Map<String, String> environment = environment();
    Path noFolder = Files.createFile(folder.resolve("file"));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      environment.put("EGRESS_INTERNAL_PORT", Integer.toString(taken.getLocalPort()));
      try (CommandLine up = CommandLine.start(environment, "up")) {
        assertThat(up.awaitExit()).isEqualTo(2);
        assertThat(up.output())
            .isEqualTo(
                "EGRESS_INTERNAL_PORT: cannot listen on 127.0.0.1:%d: Address already in use\n"
                    .formatted(taken.getLocalPort()));
      }
    }
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_DATA_DIR", noFolder.toString());
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output())
          .isEqualTo(
              "EGRESS_DATA_DIR: " + noFolder + " cannot be written to: it is not a folder\n");
    }
    environment.put("EGRESS_SHUTDOWN_TIMEOUT", "often");
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output()).startsWith("EGRESS_SHUTDOWN_TIMEOUT").doesNotContain("Exception");
    }
  }

  @Test
  void reportsEqualPortsAndAnUnreachablePageAtTheStart() throws Exception {
    Map<String, String> environment = environment();
    environment.put("EGRESS_INTERNAL_PORT", "18080");
    environment.put("EGRESS_PUBLIC_PORT", "18080");
    environment.put("EGRESS_INTERNAL_HOST", "0.0.0.0");
    environment.put("EGRESS_PORTAL_ANCESTORS", "https://app.example.com");
    try (CommandLine up = CommandLine.start(environment, "up")) {
      assertThat(up.awaitExit()).isEqualTo(2);
      assertThat(up.output())
          .contains("EGRESS_PUBLIC_PORT and EGRESS_INTERNAL_PORT are both 18080")
          .contains("EGRESS_PORTAL_URL is required with EGRESS_PORTAL_ANCESTORS");
    }
  }

  @Test
  void commandsCallTheConfiguredAddress() throws Exception {
    try (ClosedPort port = ClosedPort.open();
        CommandLine keys =
            CommandLine.start(
                Map.of(
                    "EGRESS_INTERNAL_PORT",
                    Integer.toString(port.number()),
                    "EGRESS_INTERNAL_TOKEN",
                    "some-token-or-other"),
                "keys",
                "list",
                UUID.randomUUID().toString())) {
      assertThat(keys.awaitExit()).isEqualTo(1);
      assertThat(keys.output())
          .startsWith("http://127.0.0.1:" + port.number() + "/internal/v1 does not answer")
          .doesNotContain("Exception");
    }
  }

  private String token() throws IOException {
    return Files.readString(folder.resolve("data").resolve("internal-token")).strip();
  }

  private CommandLine administer(String command, String port, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(command, "--port", port));
    all.addAll(List.of(arguments));
    return CommandLine.start(
        Map.of("EGRESS_DATA_DIR", folder.resolve("data").toString()), all.toArray(String[]::new));
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATA_DIR", folder.resolve("data").toString());
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    return environment;
  }

  private static void put(InternalApi api, UUID workspace) {
    api.call(
        "PUT", "/captures/" + UUID.randomUUID(), new SampleConversations(1, workspace).next(3));
  }

  private static InternalApi api(CommandLine up, String token) {
    return new InternalApi("127.0.0.1", Integer.parseInt(internalPort(up)), token);
  }

  private static String internalPort(CommandLine up) {
    return up.awaitOutput("internal API on http://127.0.0.1:(\\d+)/internal/v1");
  }

  private static String pullUrl(CommandLine up) {
    return up.awaitOutput("up: pull on (http://localhost:\\d+/api/v1/captures)");
  }
}
