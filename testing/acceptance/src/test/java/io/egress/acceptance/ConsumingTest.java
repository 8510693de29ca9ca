package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.FlakyProxy.Mood;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the cursor loops of docs/consuming.md against the service, with and without failures. */
@Tag("full")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ConsumingTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int THREE_PAGES = 230;

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
      assertThat(proxy.queries()).hasSize(6);
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
  void stopsAtOnceWhenTheKeyIsRefused(ShownLoop loop) throws Exception {
    loop.assumeItRunsHere();
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""))) {
      assertThat(run(loop, proxy.url(), "service_nobodys")).isNotZero();
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
        await().atMost(PATIENCE).until(() -> proxy.queries().size() == 2);
        finished.addAll(api.finish(workspace, 2));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(output()).contains(finished));
        assertThat(following.isAlive()).isTrue();
        assertThat(proxy.queries()).allMatch(query -> query.contains("wait=30"));
      } finally {
        following.destroyForcibly().waitFor();
      }
      assertThat(loop.stored(folder)).isEqualTo(finished);
    }
  }

  @Test
  void theFirstLoadGoesOnWhereItBrokeOff() throws Exception {
    assumeTrue(Snippets.has("python3"), "python3 is not here");
    Files.copy(Path.of("../../docs/etl/first_load.py"), folder.resolve("first_load.py"));
    Set<String> all = api.finish(workspace, 2 * THREE_PAGES);
    all.addAll(api.finish(workspace, 3 * THREE_PAGES));
    try (FlakyProxy proxy = new FlakyProxy(api.publicUrl(""), Mood.AWAY, Mood.CUT, Mood.BUSY)) {
      Map<String, String> environment =
          Map.of("BASE_URL", proxy.url(), "API_KEY", api.mintKey(workspace));
      Snippets.run(folder, environment, "python3", "first_load.py");
      assertThat(proxy.queries()).hasSize(4);
      assertThat(loaded()).containsExactlyInAnyOrderElementsOf(all);

      all.addAll(api.finish(workspace, 3));
      Snippets.run(folder, environment, "python3", "first_load.py");
      Snippets.run(folder, environment, "python3", "first_load.py");
      assertThat(loaded()).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  /** Their ids. */
  private List<String> loaded() throws IOException {
    return Files.readAllLines(folder.resolve("captures.jsonl")).stream()
        .map(line -> new JsonObject(line).getString("id"))
        .filter(Objects::nonNull)
        .toList();
  }

  private int run(ShownLoop loop, String url, String key) throws Exception {
    Process process = loop.start(folder, url, key);
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(output()).isTrue();
    return process.exitValue();
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("output.txt"));
  }
}
