package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.standalone.demo.SampleConversations;
import io.egress.testing.SmallDisk;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code egress mirror} of a workspace of the real service. */
class MirrorTest {
  private static final String WHOLE = "0 missing, 0 stale, 0 superfluous; the workspace has ";

  private static BothRoles api;

  private final UUID workspace = UUID.randomUUID();
  private final Path parent;
  private final Path folder;
  private String key;

  MirrorTest(@TempDir Path parent) {
    this.parent = parent;
    this.folder = parent.resolve("copy");
  }

  @BeforeAll
  static void startService() {
    api = BothRoles.apiAlone(BothRoles.environment());
  }

  @BeforeEach
  void mintKey() {
    key = api.mintKey(workspace);
  }

  @AfterAll
  static void stopService() {
    api.close();
  }

  @Test
  void keepsAFolderAsTheWorkspaceIs() throws Exception {
    List<String> ids = List.copyOf(api.finish(workspace, 5));
    UUID member = UUID.randomUUID();
    put(ids.get(1), spokenBy(member));
    assertThat(mirror()).isEqualTo("5 new, 0 changed, 0 deleted; 5 captures\n");
    assertThat(copies()).isEqualTo(current(ids));
    assertThat(mirror()).isEqualTo("0 new, 0 changed, 0 deleted; 5 captures\n");

    JsonObject corrected =
        new SampleConversations(7, workspace)
            .next(3)
            .put("title", "Corrected “今”")
            .put("started_at", "2024-02-29T23:59:59Z")
            .put("ended_at", null);
    put(ids.get(0), corrected);
    String renamed = "Renamed " + member;
    api.call(
        "PUT",
        "/members/" + member,
        new JsonObject().put("workspace_id", workspace.toString()).put("name", renamed));
    erase(ids.get(2));

    assertThat(mirror()).isEqualTo("0 new, 2 changed, 1 deleted; 4 captures\n");

    List<String> left = Stream.of(0, 1, 3, 4).map(ids::get).toList();
    assertThat(copies()).isEqualTo(current(left));
    assertThat(copies()).containsKey("2024/02/29/" + ids.get(0) + ".json");
    assertThat(copies().values()).anyMatch(document -> document.contains(renamed));
    assertThat(check(0)).isEqualTo(WHOLE + "4 captures\n");
  }

  @Test
  void checkFindsWhatIsNotAsTheWorkspaceIs() throws Exception {
    Set<String> ids = api.finish(workspace, 3);
    mirror("--format", "markdown");
    List<Path> files = files();
    assertThat(files).hasSize(3).allMatch(file -> file.toString().endsWith(".md"));
    Files.delete(files.get(0));
    Files.writeString(files.get(1), Files.readString(files.get(1)) + "\nAnd more.\n");
    Path extra = files.get(2).resolveSibling(UUID.randomUUID() + ".md");
    Files.copy(files.get(2), extra);

    assertThat(check(1).lines())
        .containsExactlyInAnyOrder(
            "missing      " + id(files.get(0)),
            "stale        " + folder.relativize(files.get(1)),
            "superfluous  " + folder.relativize(extra),
            "1 missing, 1 stale, 1 superfluous; the workspace has 3 captures");

    assertThat(mirror("--repair")).isEqualTo("1 new, 1 changed, 1 deleted; 3 captures\n");
    assertThat(check(0)).isEqualTo(WHOLE + "3 captures\n");
    assertThat(files().stream().map(MirrorTest::id)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  @Tag("full")
  void goesOnAfterKills() throws Exception {
    goesOnAfter(2);
  }

  @Test
  @Tag("long")
  void goesOnAfterManyKills() throws Exception {
    goesOnAfter(8);
  }

  private void goesOnAfter(int kills) throws Exception {
    Random random = new Random();
    List<String> ids = new ArrayList<>(api.finish(workspace, 300));
    for (int kill = 0; kill < kills; kill++) {
      try (CommandLine mirror = start("--watch")) {
        await().until(() -> !files().isEmpty());
        TimeUnit.MILLISECONDS.sleep(random.nextInt(700));
        erase(ids.removeLast());
        correct(ids.get(random.nextInt(ids.size())));
        ids.addAll(api.finish(workspace, 20));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
        mirror.kill();
      }
    }

    mirror();

    assertThat(copies()).isEqualTo(current(ids));
    assertThat(check(0)).isEqualTo(WHOLE + ids.size() + " captures\n");
  }

  @Test
  void watchesUntilItIsStopped() throws Exception {
    List<String> ids = List.copyOf(api.finish(workspace, 2));
    try (CommandLine mirror = start("--watch")) {
      await().until(() -> files().size() == 2);

      try (CommandLine second = start()) {
        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(second.output())
            .isEqualTo("Another egress mirror keeps " + folder + " current\n");
      }
      erase(ids.get(0));
      api.finish(workspace, 1);
      await().until(() -> files().size() == 2 && !names().contains(ids.get(0)));
      String corrected = correct(ids.get(1));
      await().until(() -> copies().values().stream().anyMatch(copy -> copy.contains(corrected)));

      mirror.terminate();
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
      assertThat(mirror.output()).matches("3 new, \\d changed, 1 deleted; 2 captures\n");
    }
    assertThat(check(0)).isEqualTo(WHOLE + "2 captures\n");
  }

  @Test
  @Tag("full")
  void showsItsProgressAtATerminalUntilCtrlC() throws Exception {
    api.finish(workspace, 2);
    try (CommandLine mirror =
        CommandLine.atATerminal(
            Map.of("EGRESS_API_KEY", key), EgressJvm.command(arguments(folder, "--watch")))) {
      mirror.awaitOutput("\r\u001b\\[K2 captures");
      mirror.type("\u0003");
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
      assertThat(mirror.output())
          .containsPattern("\r\u001b\\[K2 new, 0 changed, 0 deleted; 2 captures\\R$");
    }
  }

  @Test
  @Tag("full")
  void aFullDiskLosesNothing() throws Exception {
    Path disk = Files.createDirectory(parent.resolve("disk"));
    Optional<SmallDisk> mounted = SmallDisk.mount(disk, 8);
    assumeTrue(mounted.isPresent(), "only root can mount the small disk that this needs");
    try (SmallDisk small = mounted.get()) {
      Path copy = disk.resolve("copy");
      api.finish(workspace, 20);
      mirrored(copy);
      api.finish(workspace, 200);
      small.fill();

      try (CommandLine mirror = start(copy)) {
        assertThat(mirror.awaitExit()).isEqualTo(1);
        assertThat(mirror.output()).isEqualTo("Cannot use " + copy + ": No space left on device\n");
      }

      small.free();
      assertThat(mirrored(copy)).matches("\\d+ new, 0 changed, 0 deleted; 220 captures\n");
      try (CommandLine check = start(copy, "--check")) {
        assertThat(check.awaitExit()).as(check.output()).isZero();
      }
    }
  }

  @Test
  void saysInOneSentenceWhatIsWrong() throws Exception {
    Path other = Files.createDirectory(parent.resolve("other"));
    Files.writeString(other.resolve("thesis.md"), "mine");
    try (CommandLine mirror = start(other)) {
      assertThat(mirror.awaitExit()).isEqualTo(1);
      assertThat(mirror.output())
          .isEqualTo(
              other + " is not a mirror and not empty: it has thesis.md; choose another folder\n");
    }
    api.finish(workspace, 1);
    mirror();
    UUID elsewhere = UUID.randomUUID();
    api.finish(elsewhere, 1);
    key = api.mintKey(elsewhere);
    try (CommandLine mirror = start()) {
      assertThat(mirror.awaitExit()).isEqualTo(1);
      assertThat(mirror.output())
          .isEqualTo(
              "EGRESS_API_KEY is a key of workspace %s, but %s is a mirror of workspace %s; choose another folder\n"
                  .formatted(elsewhere, folder, workspace));
    }
    key = "service_" + "a".repeat(32);
    try (CommandLine mirror = start()) {
      assertThat(mirror.awaitExit()).isEqualTo(1);
      assertThat(mirror.output())
          .isEqualTo(
              "The service does not accept the API key in EGRESS_API_KEY: it is unknown, expired or deleted\n");
    }
    key = "";
    try (CommandLine mirror = start()) {
      assertThat(mirror.awaitExit()).isEqualTo(2);
      assertThat(mirror.output()).startsWith("EGRESS_API_KEY is not set").doesNotContain("java");
    }
    assertThat(files()).hasSize(1);
  }

  private void put(String id, JsonObject capture) {
    api.call("PUT", "/captures/" + id, capture);
  }

  private JsonObject spokenBy(UUID member) {
    JsonObject speaker = new JsonObject().put("id", member.toString()).put("name", "Ada");
    JsonObject participant =
        new JsonObject().put("label", "S1").put("member", speaker).put("speech_ms", 900);
    JsonObject capture = BothRoles.capture(workspace);
    capture.getJsonArray("segments").getJsonObject(0).put("speaker", "S1");
    return capture.put("participants", new JsonArray().add(participant));
  }

  private void erase(String id) {
    api.call("DELETE", "/captures/" + id, new JsonObject().put("reason", "requested"));
  }

  /** Corrects who spoke in a capture; returns the name. */
  private String correct(String id) {
    String name = "Corrected " + UUID.randomUUID();
    JsonObject capture = new JsonObject(api.pull("/api/v1/captures/" + id, key).body());
    JsonObject member =
        capture.getJsonArray("participants").stream()
            .map(JsonObject.class::cast)
            .filter(participant -> participant.getString("name") != null)
            .findFirst()
            .orElseThrow();
    api.call(
        "PATCH",
        "/captures/" + id + "/participants/" + member.getString("label"),
        new JsonObject()
            .put(
                "member",
                new JsonObject().put("id", UUID.randomUUID().toString()).put("name", name)));
    return name;
  }

  private String mirror(String... options) throws Exception {
    return mirrored(folder, options);
  }

  private String mirrored(Path to, String... options) throws Exception {
    try (CommandLine mirror = start(to, options)) {
      assertThat(mirror.awaitExit()).as(mirror.output()).isZero();
      return mirror.output();
    }
  }

  private String check(int status) throws Exception {
    try (CommandLine check = start("--check")) {
      assertThat(check.awaitExit()).as(check.output()).isEqualTo(status);
      return check.output();
    }
  }

  private CommandLine start(String... options) throws IOException {
    return start(folder, options);
  }

  private CommandLine start(Path to, String... options) throws IOException {
    return CommandLine.start(Map.of("EGRESS_API_KEY", key), arguments(to, options));
  }

  private String[] arguments(Path to, String... options) {
    List<String> arguments = new ArrayList<>(List.of("mirror", "--base-url"));
    arguments.addAll(List.of(api.publicUrl("").toString(), "--to", to.toString()));
    arguments.addAll(List.of(options));
    return arguments.toArray(String[]::new);
  }

  /** What the folder has to have. */
  private Map<String, String> current(List<String> ids) {
    Map<String, String> current = new TreeMap<>();
    for (String id : ids) {
      String document = api.pull("/api/v1/captures/" + id, key).body();
      String day = new JsonObject(document).getString("started_at").substring(0, 10);
      current.put(day.replace('-', '/') + "/" + id + ".json", withoutEmission(document));
    }
    return current;
  }

  private Map<String, String> copies() throws IOException {
    Map<String, String> copies = new TreeMap<>();
    for (Path file : files()) {
      copies.put(folder.relativize(file).toString(), withoutEmission(Files.readString(file)));
    }
    return copies;
  }

  private static String withoutEmission(String document) {
    String without = document.replaceFirst(",\"emitted_at\":\"[^\"]+\"}$", "}");
    assertThat(without).isNotEqualTo(document);
    return without;
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    files().forEach(file -> names.add(id(file)));
    return names;
  }

  private static String id(Path file) {
    return file.getFileName().toString().replaceFirst("\\..*", "");
  }

  /** Of captures, in order. */
  private List<Path> files() {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> !folder.relativize(file).toString().startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
