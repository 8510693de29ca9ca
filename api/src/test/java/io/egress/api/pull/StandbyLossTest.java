package io.egress.api.pull;

import static io.egress.api.pull.ReadFromStandby.awaitStandby;
import static io.egress.api.pull.ReadFromStandby.cursor;
import static io.egress.api.pull.ReadFromStandby.erase;
import static io.egress.api.pull.ReadFromStandby.hasNext;
import static io.egress.api.pull.ReadFromStandby.ids;
import static io.egress.api.pull.ReadFromStandby.page;
import static io.egress.api.pull.ReadFromStandby.pages;
import static io.egress.api.pull.ReadFromStandby.replaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.embedded.PostgresServer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A standby is held back, cut off, promoted and replaced by one of another history. */
@Tag("full")
class StandbyLossTest {
  private final UUID workspace = UUID.randomUUID();
  private Path folder = Path.of("");
  private ReadFromStandby servers;
  private Service service;
  private String key;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
    servers = new ReadFromStandby(temporary);
    service = servers.service("1s");
    key = service.mintKey(workspace);
    awaitStandby(service, "up");
  }

  @AfterEach
  void stop() {
    service.close();
    servers.close();
  }

  @Test
  void aCursorLoopSeesEverythingOnceWhateverBecomesOfTheStandby() {
    Reader reader = new Reader();
    CompletableFuture<Void> reading = CompletableFuture.runAsync(reader::readToTheEnd);
    Pipeline pipeline = new Pipeline(reader);

    pipeline.workUntil(() -> pages(service, "standby") > 3);

    servers.hold();
    pipeline.workUntil(() -> replaced(service, "lag") > 3);
    servers.release();
    pipeline.workUntilUsed();

    servers.proxy.refuse(true);
    servers.proxy.reset();
    pipeline.workUntil(() -> replaced(service, "away") > 3);
    servers.proxy.refuse(false);
    pipeline.workUntilUsed();

    int away = replaced(service, "away");
    servers.proxy.stall();
    pipeline.workUntil(() -> replaced(service, "away") > away + 3);
    servers.proxy.resume();
    pipeline.workUntilUsed();

    servers.standby.query("select pg_promote()");
    pipeline.workUntil(() -> replaced(service, "promoted") > 3);

    int dead = replaced(service, "away");
    servers.standby.kill();
    servers.proxy.reset();
    pipeline.workUntil(() -> replaced(service, "away") > dead + 3);

    reader.mayEnd = true;
    reading.join();
    List<UUID> stream = stream();
    assertThat(reader.seen).doesNotHaveDuplicates();
    assertThat(stream).containsSubsequence(reader.seen);
    assertThat(without(reader.erased, reader.seen)).isEqualTo(without(reader.erased, stream));
    assertThat(reader.erased).isNotEmpty();
  }

  /** The position of its log looks right: only the chain tells its stream from the primary's. */
  @Test
  void aStandbyOfAnotherHistoryIsNotBelieved() {
    Service tolerant = service.twin(Map.of("EGRESS_DATABASE_READ_LAG", "1d"));
    List<UUID> common = service.enter(workspace, 2);
    servers.awaitReplayed();
    servers.standby.query("select pg_promote()");
    try (PostgresServer foreign =
            PostgresServer.startStandby(folder.resolve("foreign"), servers.standby);
        Service fork =
            service.twin(
                Map.of(
                    "EGRESS_DATABASE_URL", servers.standby.databaseUrl(),
                    "EGRESS_DATABASE_READ_URL", "",
                    "EGRESS_TOPIC_PREFIX", "fork"))) {
      List<UUID> ours = service.enter(workspace, 2);
      fork.enter(workspace, 2);
      await().until(() -> "4".equals(foreign.query("select count(*) from stream")));
      servers.proxy.leadTo(foreign.port());
      awaitStandby(tolerant, "up");

      JsonObject all = page(tolerant, key, "");
      JsonObject start = page(tolerant, key, "?limit=2");

      assertThat(ids(all)).containsExactly(common.get(0), common.get(1), ours.get(0), ours.get(1));
      assertThat(replaced(tolerant, "history")).isEqualTo(1);
      assertThat(ids(start)).isEqualTo(common);
      assertThat(ids(page(tolerant, key, "?after=" + cursor(start)))).isEqualTo(ours);
      assertThat(replaced(tolerant, "history")).isEqualTo(2);
    } finally {
      tolerant.close();
    }
  }

  private List<UUID> stream() {
    List<UUID> ids = new ArrayList<>();
    for (Row row :
        service.query(
            "select capture_id from stream where workspace_id = '%s' order by position"
                .formatted(workspace))) {
      ids.add(row.getUUID(0));
    }
    return ids;
  }

  private static List<UUID> without(Set<UUID> erased, List<UUID> ids) {
    return ids.stream().filter(id -> !erased.contains(id)).toList();
  }

  /** Puts captures and erases some, so that each fault happens amid both. */
  private final class Pipeline {
    private final Reader reader;
    private final List<UUID> put = new ArrayList<>();

    private Pipeline(Reader reader) {
      this.reader = reader;
    }

    private void workUntil(Callable<Boolean> over) {
      await()
          .until(() -> {
            put.addAll(service.enter(workspace, 2));
            // A reader at the end of the stream is often ahead of the standby.
            page(service, key, "?limit=2");
            if (put.size() % 6 == 0) {
              UUID victim = put.get(put.size() - 3);
              erase(service, victim);
              reader.erased.add(victim);
            }
            return over.call();
          });
    }

    private void workUntilUsed() {
      awaitStandby(service, "up");
      int before = pages(service, "standby");
      workUntil(() -> pages(service, "standby") > before + 3);
    }
  }

  private final class Reader {
    private final List<UUID> seen = new CopyOnWriteArrayList<>();
    private final Set<UUID> erased = ConcurrentHashMap.newKeySet();
    private volatile boolean mayEnd;

    private void readToTheEnd() {
      String cursor = null;
      boolean more = true;
      while (more) {
        boolean last = mayEnd;
        Set<UUID> erasedBefore = Set.copyOf(erased);
        JsonObject page =
            page(service, key, cursor == null ? "?limit=5" : "?limit=5&wait=1&after=" + cursor);
        assertThat(ids(page)).noneMatch(erasedBefore::contains);
        seen.addAll(ids(page));
        cursor = cursor(page) == null ? cursor : cursor(page);
        more = !last || hasNext(page);
      }
    }
  }
}
