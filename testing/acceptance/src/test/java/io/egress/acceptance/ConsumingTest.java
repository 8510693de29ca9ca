package io.egress.acceptance;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.FlakyProxy.Mood;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the cursor loops of docs/consuming.md against the service, with and without failures. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ConsumingTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int THREE_PAGES = 230;

  private static final String STREAM = "/api/v1/captures";
  private static final String CHANGES = "/api/v1/changes";

  private static BothRoles api;

  private final UUID workspace = UUID.randomUUID();
  private final Path folder;

  ConsumingTest(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
    this.folder = folder;
  }

  @BeforeAll
  static void start() {
    api = BothRoles.apiAlone(BothRoles.environment());
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @ParameterizedTest
  @EnumSource
  void readsEverythingOnceDespiteFailures(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    String key = api.mintKey(workspace);
    try (FlakyProxy proxy =
        new FlakyProxy(api.publicUrl(""), Mood.AWAY, Mood.FINE, Mood.CUT, Mood.BUSY)) {
      Set<String> history = api.finish(workspace, THREE_PAGES);

      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      assertThat(proxy.paths())
          .startsWith(Collections.nCopies(6, STREAM).toArray(String[]::new))
          .hasSize(7)
          .endsWith(CHANGES);
      assertThat(loop.stored(folder)).isEqualTo(history);
      assertThat(output()).contains(history);

      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      assertThat(output()).as("nothing is new").isEmpty();

      Set<String> later = api.finish(workspace, 3);
      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      assertThat(output().lines().map(line -> line.substring(0, 36)))
          .containsExactlyInAnyOrderElementsOf(later);
      assertThat(loop.stored(folder)).containsAll(later).hasSize(THREE_PAGES + 3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void continuesAfterAKill(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    String key = api.mintKey(workspace);
    Set<String> history = api.finish(workspace, THREE_PAGES);
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""), Mood.FINE, Mood.SILENT)) {
      Process killed = loop.start(folder, proxy.url(), key);
      await().atMost(PATIENCE).until(() -> proxy.queries().size() == 2);
      killed.destroyForcibly().waitFor();
      assertThat(loop.stored(folder)).hasSize(100);

      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      List<String> queries = proxy.queries();
      assertThat(queries.get(2)).contains("after=").isEqualTo(queries.get(1));
      assertThat(loop.stored(folder)).isEqualTo(history);
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsItsCopyCurrent(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    String key = api.mintKey(workspace);
    Set<String> ids = api.finish(workspace, THREE_PAGES);
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""))) {
      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
    }
    Set<String> later = api.finish(workspace, 2);
    ids.addAll(later);
    String erased = api.change(workspace, ids);

    try (FlakyProxy proxy =
        new FlakyProxy(api.publicUrl(""), Mood.FINE, Mood.CUT, Mood.FINE, Mood.SILENT)) {
      Process killed = loop.start(folder, proxy.url(), key);
      await().atMost(PATIENCE).until(() -> proxy.queries().size() == 4);
      killed.destroyForcibly().waitFor();
      assertThat(proxy.paths()).containsExactly(STREAM, CHANGES, CHANGES, CHANGES);

      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      assertThat(proxy.paths()).endsWith(STREAM, CHANGES, CHANGES);
      assertThat(proxy.queries().get(5)).contains("after=").isEqualTo(proxy.queries().get(3));
      assertThat(loop.documents(folder))
          .isEqualTo(api.documents(key, ids))
          .doesNotContainKey(erased);

      assertThat(run(loop, proxy.url(), key)).as(output()).isZero();
      assertThat(output()).as("nothing is new").isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void stopsAtOnceWhenTheKeyIsRefused(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""))) {
      assertThat(ended(loop.startAsShown(folder, proxy.url(), "service_nobodys"))).isNotZero();
      assertThat(output()).contains("401", "API key");
      assertThat(proxy.queries()).hasSize(1);
    }
  }

  /** With {@code WAIT=30}. */
  @ParameterizedTest
  @EnumSource
  void goesOnWhenCapturesAreFinished(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    String key = api.mintKey(workspace);
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""))) {
      Set<String> finished = api.finish(workspace, 2);
      Process following = loop.start(folder, proxy.url(), key, Map.of("WAIT", "30"));
      try {
        await().atMost(PATIENCE).until(() -> proxy.queries().size() == 3);
        finished.addAll(api.finish(workspace, 2));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(output()).contains(finished));
        assertThat(following.isAlive()).isTrue();
        assertThat(proxy.queries().stream().filter(query -> query.contains("wait=30")))
            .hasSameSizeAs(proxy.paths().stream().filter(STREAM::equals).toList());
      } finally {
        following.destroyForcibly().waitFor();
      }
      assertThat(loop.stored(folder)).isEqualTo(finished);
    }
  }

  @Test
  void theFirstLoadGoesOnWhereItBrokeOff() throws Exception {
    assumeTrue(Snippets.has("python3"), "python3 is not here");
    Files.copy(Path.of("../../docs/connectors/first_load.py"), folder.resolve("first_load.py"));
    Set<String> all = api.finish(workspace, 2 * THREE_PAGES);
    all.addAll(api.finish(workspace, 3 * THREE_PAGES));
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""), Mood.AWAY, Mood.CUT, Mood.BUSY)) {
      Map<String, String> environment =
          Map.of("BASE_URL", proxy.url(), "API_KEY", api.mintKey(workspace));
      Snippets.run(folder, environment, "python3", "first_load.py");
      assertThat(proxy.paths()).containsExactly(STREAM, STREAM, STREAM, STREAM, CHANGES);
      assertThat(loaded()).containsExactlyInAnyOrderElementsOf(all);

      assertThat(Files.getPosixFilePermissions(folder.resolve("captures.jsonl")))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));

      all.addAll(api.finish(workspace, 3));
      Snippets.run(folder, environment, "python3", "first_load.py");
      Snippets.run(folder, environment, "python3", "first_load.py");
      assertThat(loaded()).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  void theFirstLoadIsKeptCurrent() throws Exception {
    assumeTrue(Snippets.has("python3"), "python3 is not here");
    Files.copy(Path.of("../../docs/connectors/first_load.py"), folder.resolve("first_load.py"));
    Set<String> ids = api.finish(workspace, THREE_PAGES);
    String key = api.mintKey(workspace);
    load(api.publicUrl("").toString(), key);
    ids.addAll(api.finish(workspace, 2));
    String erased = api.change(workspace, ids);

    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""), Mood.FINE, Mood.CUT)) {
      load(proxy.url(), key);
      assertThat(proxy.paths()).containsExactly(STREAM, CHANGES, CHANGES);
      assertThat(documents()).isEqualTo(api.documents(key, ids)).doesNotContainKey(erased);
      assertThat(Files.readString(folder.resolve("changes.jsonl"))).doesNotContain("Ada");
      List<JsonObject> afterwards = lines().toList();

      load(proxy.url(), key);
      assertThat(lines()).containsExactlyElementsOf(afterwards);
    }
    for (int round = 0; round < 2; round++) {
      ids.remove(erased);
      erased = api.change(workspace, ids);
      load(api.publicUrl("").toString(), key);
      assertThat(documents()).isEqualTo(api.documents(key, ids));
    }
    assertThat(loaded()).doesNotHaveDuplicates();
  }

  /** Also one to another host, which may be somebody else's. */
  @Test
  void theFirstLoadSendsItsKeyOnlyToTheService() throws Exception {
    assumeTrue(Snippets.has("python3"), "python3 is not here");
    Files.copy(Path.of("../../docs/connectors/first_load.py"), folder.resolve("first_load.py"));
    Queue<String> elsewhere = new ConcurrentLinkedQueue<>();
    Vertx vertx = Vertx.vertx();
    try {
      int other =
          listening(
              vertx,
              request -> {
                elsewhere.add(String.valueOf(request.getHeader("authorization")));
                request.response().setStatusCode(401).end();
              });
      int service =
          listening(
              vertx,
              request ->
                  request
                      .response()
                      .setStatusCode(302)
                      .putHeader("location", "http://localhost:" + other + "/")
                      .end());
      ProcessBuilder load =
          new ProcessBuilder("python3", "first_load.py")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output").toFile());
      load.environment()
          .putAll(Map.of("BASE_URL", "http://127.0.0.1:" + service, "API_KEY", "a-key"));
      assertThat(load.start().waitFor()).isEqualTo(1);
      assertThat(elsewhere).doesNotContain("Bearer a-key").containsOnly("null");
    } finally {
      vertx.close().await();
    }
  }

  private static int listening(Vertx vertx, Handler<HttpServerRequest> handler) {
    return vertx
        .createHttpServer()
        .requestHandler(handler)
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private void load(String url, String key) throws Exception {
    Snippets.run(folder, Map.of("BASE_URL", url, "API_KEY", key), "python3", "first_load.py");
  }

  /** Of {@link #lines}. */
  private List<String> loaded() throws IOException {
    return lines().map(document -> document.getString("id")).toList();
  }

  private Map<String, JsonObject> documents() throws IOException {
    return lines().collect(toMap(document -> document.getString("id"), BothRoles::withoutTime));
  }

  /** The documents of the first load. */
  private Stream<JsonObject> lines() throws IOException {
    return Files.readAllLines(folder.resolve("captures.jsonl")).stream()
        .map(JsonObject::new)
        .filter(line -> line.containsKey("id"));
  }

  private int run(ShownLoop loop, String url, String key) throws Exception {
    return ended(loop.start(folder, url, key));
  }

  private int ended(Process process) throws Exception {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
    return process.exitValue();
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("output.txt"));
  }
}
