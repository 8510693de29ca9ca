package io.egress.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.egress.acceptance.PageReceiver.Stored;
import io.egress.embedded.FreePort;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The receiver of pages in Python has exactly the stream, without what was erased since, however
 * often it is killed: at random moments, and between what it stores and its answer.
 */
class PageReceiverKilledTest {
  private static final int FEW_KILLS = 10;
  private static final int KILLS = 200;

  /** Small pages, so that a kill is likely to come while one is stored. */
  private static final int BATCH = 3;

  private static final int CAPTURES_MAX = 40;
  private static final int MILLIS_MAX = 600;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern STORED =
      Pattern.compile("(?m)^stored \\d+ ((?:captures|changes) up to \\S+)$");

  private final UUID workspace = UUID.randomUUID();
  private final int port = FreePort.choose();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final List<String> entered = new ArrayList<>();
  private final Path folder;
  private BothRoles service;

  PageReceiverKilledTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @BeforeEach
  void startService() throws InterruptedException {
    assumeTrue(ShownReceiver.PYTHON.isHere(), "python3 is not here");
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_RETRY_SCHEDULE", "200ms,300ms");
    service = new BothRoles(environment);
  }

  @AfterEach
  void stopService() {
    if (service != null) {
      service.close();
    }
  }

  @Test
  @Tag("full")
  void hasTheStreamAfterKills() throws Exception {
    hasTheStreamAfter(FEW_KILLS);
  }

  @Test
  @Tag("long")
  void hasTheStreamHoweverOftenItIsKilled() throws Exception {
    hasTheStreamAfter(KILLS);
  }

  private void hasTheStreamAfter(int kills) throws Exception {
    try (AnswerLoss answers = new AnswerLoss(port);
        PageReceiver receiver =
            new PageReceiver(ShownReceiver.PYTHON, folder, createEndpoint(answers.url()), port)) {
      for (int kill = 0; kill < kills; kill++) {
        receiver.post();
        putCaptures(random.nextInt(CAPTURES_MAX));
        if (kill % 2 == 0) {
          CompletableFuture<Void> lost = answers.loseNext();
          putCaptures(1);
          lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } else {
          TimeUnit.MILLISECONDS.sleep(random.nextInt(MILLIS_MAX));
        }
        receiver.kill();
        putCaptures(random.nextInt(BATCH) + 1);
        change(entered.get(random.nextInt(entered.size())));
        erase(entered.remove(random.nextInt(entered.size() - 1)));
        receiver.restart(port);
      }

      Stored stream = stream();
      assertThat(stream.ids()).hasSameElementsAs(entered).hasSameSizeAs(entered);
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(() ->
              assertThat(receiver.stored().cursor())
                  .as("seed %d: %s", seed, receiver.output())
                  .isEqualTo(stream.cursor()));
      Optional<String> changes =
          Optional.of(follow("changes", service.mintKey(workspace), new ArrayList<>()));
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofSeconds(1))
          .untilAsserted(() ->
              assertThat(receiver.storedChanges())
                  .as("seed %d: %s", seed, receiver.output())
                  .isEqualTo(changes));
      assertThat(receiver.stored()).as("seed %d", seed).isEqualTo(stream);
      assertThat(STORED.matcher(receiver.output()).results().map(page -> page.group(1)))
          .as("no page is stored twice")
          .doesNotHaveDuplicates();
    }
  }

  /** Its secret. */
  private String createEndpoint(String url) {
    return service
        .call(
            "POST",
            "/workspaces/" + workspace + "/endpoints",
            new JsonObject()
                .put("url", url)
                .put("delivery", "stream")
                .put(
                    "events",
                    new JsonArray(
                        List.of("capture.processed", "capture.updated", "capture.erased")))
                .put("batch", BATCH)
                .put("full_history", true))
        .getString("secret");
  }

  private void putCaptures(int count) {
    for (int i = 0; i < count; i++) {
      String id = UUID.randomUUID().toString();
      service.call("PUT", "/captures/" + id, BothRoles.capture(workspace));
      entered.add(id);
    }
  }

  private void change(String id) {
    service.call("PUT", "/captures/" + id, BothRoles.capture(workspace).put("title", "corrected"));
  }

  private void erase(String id) {
    service.call("DELETE", "/captures/" + id, new JsonObject().put("reason", "test"));
  }

  /** As a pull reads it, once everything has entered it. */
  private Stored stream() {
    String key = service.mintKey(workspace);
    String last = "/api/v1/captures/" + entered.getLast();
    await().until(() -> service.pull(last, key).statusCode() == 200);
    List<String> ids = new ArrayList<>();
    String cursor = follow("captures", key, ids);
    return new Stored(ids, Optional.of(cursor));
  }

  /** Reads a feed to its end, and returns the cursor of that. */
  private String follow(String feed, String key, List<String> ids) {
    String cursor = "";
    boolean hasMore = true;
    while (hasMore) {
      String after = cursor.isEmpty() ? "" : "&after=" + cursor;
      JsonObject page =
          new JsonObject(service.pull("/api/v1/" + feed + "?limit=100" + after, key).body());
      JsonArray entries = page.getJsonArray(feed);
      for (int i = 0; i < entries.size(); i++) {
        ids.add(entries.getJsonObject(i).getString("id"));
      }
      JsonObject pageInfo = page.getJsonObject("pageInfo");
      cursor = pageInfo.getString("endCursor");
      hasMore = pageInfo.getBoolean("hasNextPage");
    }
    return cursor;
  }
}
