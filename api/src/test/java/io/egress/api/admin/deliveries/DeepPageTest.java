package io.egress.api.admin.deliveries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** In a database of its own: PostgreSQL counts the rows that all of its clients read. */
class DeepPageTest {
  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** The rows that are read for a page do not depend on how far down it is. */
  @Test
  void readsNoMoreRowsForADeepPage() {
    service.internal(
        "POST", path + "/endpoints", new JsonObject().put("url", "https://receiver.example/hook"));
    service.enter(workspace, 1);
    service.query(
        """
        insert into captures
          (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        select md5('%1$s' || n)::uuid, workspace_id, device_id, mode, started_at, speakers, members, digest, true
        from captures, generate_series(2, 20000) n where workspace_id = '%1$s'
        """
            .formatted(workspace));
    service.query(
        """
        insert into stream (workspace_id, position, capture_id, chain, mode, device_id)
        select workspace_id, n, md5('%1$s' || n)::uuid, 0, mode, device_id
        from stream, generate_series(2, 20000) n where workspace_id = '%1$s'
        """
            .formatted(workspace));
    service.query("update workspaces set stream_head = 20000 where id = '%s'".formatted(workspace));
    String far = DeliveryCursor.behind(200).encode();
    long before = streamRowsRead();

    // Its connections count at the latest when they end.
    try (Service read = service.twin()) {
      assertThat(deliveries(get(read, path + "/deliveries?limit=10&after=" + far)))
          .extracting(each -> each.getLong("position"))
          .startsWith(199L)
          .endsWith(190L)
          .hasSize(10);
    }

    await().until(() -> streamRowsRead() > before);
    assertThat(streamRowsRead() - before).isLessThan(2_000);
  }

  private static long streamRowsRead() {
    return service
        .query(
            "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'stream'")
        .iterator()
        .next()
        .getLong(0);
  }

  private static JsonObject get(Service read, String call) {
    HttpResponse<String> answer = read.internal("GET", call, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static List<JsonObject> deliveries(JsonObject page) {
    return page.getJsonArray("deliveries").stream().map(JsonObject.class::cast).toList();
  }
}
