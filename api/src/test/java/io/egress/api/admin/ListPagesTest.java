package io.egress.api.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of what a workspace may have many of are pages. */
@Execution(ExecutionMode.CONCURRENT)
class ListPagesTest {
  private static final int COUNT = 7;

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/internal/v1/workspaces/" + workspace;

  @BeforeAll
  static void start() {
    service = Service.start(Map.of("EGRESS_ALLOW_HTTP_ENDPOINTS", "true"));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource({
    "endpoints, endpoints, endpoints, id",
    "api-keys, api_keys, api-keys, id",
    "readers, readers, api-keys, key_id"
  })
  void arePages(String list, String field, String made, String idField) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      ids.add(made(path + "/" + made, i % 2 == 0 ? "first" : "second").getString("id"));
    }
    assertThat(ids(list(list, ""), field, idField)).isEqualTo(ids);

    List<String> found = new ArrayList<>();
    String after = "";
    while (true) {
      JsonObject page = list(list, "?limit=3" + after);
      List<String> some = ids(page, field, idField);
      assertThat(some).hasSizeBetween(1, 3);
      found.addAll(some);
      JsonObject info = page.getJsonObject("pageInfo");
      if (!info.getBoolean("hasNextPage")) {
        assertThat(info.getValue("endCursor")).isNull();
        break;
      }
      if (after.isEmpty()) {
        // What is gone takes no place along, and what is new comes last.
        service.internal("DELETE", path + "/" + made + "/" + some.getLast(), "");
        ids.add(made(path + "/" + made, "new").getString("id"));
      }
      after = "&after=" + info.getString("endCursor");
    }
    assertThat(found).isEqualTo(ids);
  }

  @ParameterizedTest
  @CsvSource({"endpoints, 1000", "api-keys, 1000", "readers, 100"})
  void areBounded(String list, int max) {
    service.put(UUID.randomUUID(), Service.capture(workspace));

    for (String query : List.of("limit=0", "limit=" + (max + 1), "after=x", "limit=1&limit=1")) {
      assertThat(service.internal("GET", path + "/" + list + "?" + query, "").statusCode())
          .as(query)
          .isEqualTo(400);
    }
  }

  private static JsonObject made(String path, String name) {
    String body =
        path.endsWith("endpoints")
            ? "{\"url\":\"https://example.com/" + name + "\"}"
            : "{\"name\":\"" + name + "\"}";
    HttpResponse<String> answer = service.internal("POST", path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  private JsonObject list(String list, String query) {
    HttpResponse<String> answer = service.internal("GET", path + "/" + list + query, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static List<String> ids(JsonObject page, String field, String idField) {
    return page.getJsonArray(field).stream()
        .map(each -> ((JsonObject) each).getString(idField))
        .toList();
  }
}
