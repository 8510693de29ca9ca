package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InventoryTest {
  private static final Service service = Service.shared();
  private static final String INVENTORY = "/api/v1/inventory";

  private UUID workspace;
  private String key;

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    key = service.mintKey(workspace);
  }

  @Test
  void listsWhatCanBeReadAndWhenItChanged() {
    List<UUID> ids = service.enter(workspace, 4);
    Instant before = Instant.now().minusSeconds(1);
    service.put(ids.get(1), Service.capture(workspace).put("title", "Corrected"));
    service.internal(
        "DELETE", "/internal/v1/captures/" + ids.get(2), new JsonObject().put("reason", "a test"));

    HttpResponse<String> answer = service.pull(INVENTORY, key);

    assertThat(answer.headers().firstValue("content-type")).hasValue("application/x-ndjson");
    List<JsonObject> lines = lines(answer.body());
    assertThat(lines.subList(0, 3))
        .extracting(line -> line.getString("id"))
        .containsExactly(ids.get(0).toString(), ids.get(1).toString(), ids.get(3).toString());
    assertThat(lines.subList(0, 3))
        .extracting(line -> line.getLong("position"))
        .containsExactly(1L, 2L, 4L);
    assertThat(lines.get(0).fieldNames()).containsExactly("id", "position", "changed_at");
    assertThat(lines.get(0).getValue("changed_at")).isNull();
    assertThat(lines.get(1).getString("changed_at"))
        .matches("\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}\\.\\d{3}Z");
    assertThat(lines.get(1).getInstant("changed_at")).isAfter(before);
    JsonObject end = lines.getLast();
    assertThat(end.getInteger("captures")).isEqualTo(3);
    JsonObject page = new JsonObject(service.pull("/api/v1/captures", key).body());
    assertThat(end.getJsonObject("pageInfo").getString("endCursor"))
        .isEqualTo(page.getJsonObject("pageInfo").getString("endCursor"));
  }

  @Test
  void anEmptyWorkspaceHasNone() {
    assertThat(service.pull(INVENTORY, key).body())
        .isEqualTo("{\"captures\":0,\"pageInfo\":{\"endCursor\":null}}\n");
    assertThat(service.pull(INVENTORY, "service_" + "x".repeat(32)).statusCode()).isEqualTo(401);
  }

  /** Positions of several chunks, of which some are erased altogether. */
  @Test
  void listsAnyNumberInChunks() throws IOException {
    int count = 2 * Inventory.CHUNK_POSITIONS + 17;
    fill(count);
    service.query(
        """
        insert into changes (workspace_id, number, capture_id, changed_at, erased)
        select workspace_id, position, capture_id, now(), true from stream
        where workspace_id = '%s' and position between 3 and %d
        """
            .formatted(workspace, 1 + Inventory.CHUNK_POSITIONS));

    List<JsonObject> plain = lines(service.pull(INVENTORY, key).body());

    assertThat(plain.getLast().getInteger("captures"))
        .isEqualTo(count - Inventory.CHUNK_POSITIONS + 1);
    assertThat(plain.subList(0, plain.size() - 1))
        .extracting(line -> line.getLong("position"))
        .startsWith(1L, 2L, 2L + Inventory.CHUNK_POSITIONS)
        .endsWith((long) count)
        .isSorted()
        .hasSize(count - Inventory.CHUNK_POSITIONS + 1);
    HttpResponse<byte[]> compressed =
        Service.send(
            HttpRequest.newBuilder(URI.create(service.publicUrl(INVENTORY)))
                .header("authorization", "Bearer " + key)
                .header("accept-encoding", "gzip"),
            BodyHandlers.ofByteArray());
    byte[] inflated =
        new GZIPInputStream(new ByteArrayInputStream(compressed.body())).readAllBytes();
    assertThat(lines(new String(inflated, StandardCharsets.UTF_8))).isEqualTo(plain);
    assertThat(compressed.body().length).isLessThan(inflated.length / 2);
  }

  private void fill(int count) {
    service.query(
        """
        with filled as (
          insert into stream (workspace_id, position, capture_id, chain)
          select '%1$s', n, gen_random_uuid(), n from generate_series(1, %2$d) as n)
        update workspaces set stream_head = %2$d, stream_chain = %2$d where id = '%1$s'
        """
            .formatted(workspace, count));
  }

  private static List<JsonObject> lines(String body) {
    return body.lines().map(JsonObject::new).toList();
  }
}
