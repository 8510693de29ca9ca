package io.egress.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.standalone.demo.SampleConversations;
import io.egress.standalone.run.InternalApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The commands that the README shows. */
class CommandLineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path folder;

  CommandLineTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @Test
  @Timeout(180)
  void demoPrintsAPullThatWorksWhileCapturesArrive() throws Exception {
    try (CommandLine demo = CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "0"), "demo")) {
      String key = demo.awaitOutput("Bearer (service_[A-Za-z0-9]{32})");
      String url = demo.awaitOutput("'(http://localhost:\\d+/api/v1/captures)\\?limit=2'");
      demo.awaitOutput("finished  [0-9a-f-]{36}");

      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(captures(url, key).size()).isGreaterThan(1));

      demo.terminate();
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
    }
  }

  @Test
  @Timeout(180)
  void demoEndsByItselfWhenAskedTo() throws Exception {
    try (CommandLine demo =
        CommandLine.start(Map.of("EGRESS_PUBLIC_PORT", "0"), "demo", "--seconds", "2")) {
      assertThat(demo.awaitExit()).as(demo.output()).isZero();
    }
  }

  @Test
  @Timeout(240)
  void upGoesOnWhereAKillLeftIt() throws Exception {
    UUID workspace = UUID.randomUUID();
    String key;
    String cursor;
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      InternalApi api = api(up, up.awaitOutput("EGRESS_INTERNAL_TOKEN=(\\S+)"));
      put(api, workspace);
      String minted =
          api.call(
                  "POST",
                  "/workspaces/" + workspace + "/api-keys",
                  new JsonObject().put("name", "a"))
              .getString("key");
      key = minted;
      String url = pullUrl(up);
      await().atMost(PATIENCE).until(() -> captures(url, minted).size() == 1);
      cursor = page(url, key).getJsonObject("pageInfo").getString("endCursor");
      put(api, workspace);
      up.kill();
    }
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String url = pullUrl(up);
      String after = url + "?after=" + cursor;
      await().atMost(PATIENCE).until(() -> captures(after, key).size() == 1);
      assertThat(up.output()).as("the token is told once").doesNotContain("EGRESS_INTERNAL_TOKEN=");

      try (CommandLine second = CommandLine.start(environment(), "up")) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.output()).contains(folder.resolve("data").toString());
      }
      assertThat(captures(url, key).size()).isEqualTo(2);
      up.terminate();
      assertThat(up.awaitExit()).as(up.output()).isZero();
    }
  }

  @Test
  @Timeout(120)
  void keysAreMintedListedAndDeletedFromATerminal() throws Exception {
    String workspace = UUID.randomUUID().toString();
    try (CommandLine up = CommandLine.start(environment(), "up")) {
      String port = internalPort(up);
      try (CommandLine create = keys(port, "create", workspace)) {
        assertThat(create.awaitExit()).as(create.output()).isZero();
        assertThat(create.output()).matches("service_[A-Za-z0-9]{32}\\s+");
      }
      String id;
      try (CommandLine list = keys(port, "list", workspace)) {
        assertThat(list.awaitExit()).isZero();
        id =
            new JsonObject(list.output()).getJsonArray("api_keys").getJsonObject(0).getString("id");
      }
      try (CommandLine delete = keys(port, "delete", workspace, id)) {
        assertThat(delete.awaitExit()).as(delete.output()).isZero();
      }
    }
  }

  @Test
  @Timeout(60)
  void namesEverySettingThatCannotBeUsedAndExitsWith2() throws Exception {
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

  private CommandLine keys(String port, String... arguments) throws IOException {
    String[] all = new String[arguments.length + 3];
    all[0] = "keys";
    all[1] = "--port";
    all[2] = port;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return CommandLine.start(Map.of("EGRESS_DATA_DIR", folder.resolve("data").toString()), all);
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

  private static JsonArray captures(String url, String key) throws Exception {
    return page(url, key).getJsonArray("captures");
  }

  private static JsonObject page(String url, String key) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url))
                    .header("authorization", "Bearer " + key)
                    .build(),
                BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }
}
