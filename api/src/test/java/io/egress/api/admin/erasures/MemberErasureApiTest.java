package io.egress.api.admin.erasures;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MemberErasureApiTest {
  private static final Service service = Service.shared();

  private UUID workspace;
  private UUID ada;
  private String name;
  private String email;

  @BeforeEach
  void freshWorkspace() {
    workspace = UUID.randomUUID();
    ada = UUID.randomUUID();
    name = "Ada " + ada;
    email = ada + "@example.com";
  }

  @Test
  void showsTheLabelInsteadOfTheNameInEveryCapture() {
    String key = service.mintKey(workspace);
    UUID one = UUID.randomUUID();
    service.put(one, conversation());
    UUID two = UUID.randomUUID();
    service.put(two, conversation());
    UUID untouched = service.enter(workspace, 1).get(0);
    String before = service.pull("/api/v1/captures/" + untouched, key).body();

    HttpResponse<String> answer = erase(workspace, ada);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(new JsonObject(answer.body()).getInteger("captures")).isEqualTo(2);
    for (UUID id : new UUID[] {one, two}) {
      JsonObject document = new JsonObject(service.pull("/api/v1/captures/" + id, key).body());
      assertThat(document.getString("transcript_text")).isEqualTo("S1: Hi.");
      assertThat(document.getJsonArray("segments").getJsonObject(0).getString("speaker"))
          .isEqualTo("S1");
      JsonObject speaker = document.getJsonArray("participants").getJsonObject(0);
      assertThat(speaker.getBoolean("matched")).isFalse();
      assertThat(speaker.getValue("name")).isNull();
      assertThat(speaker.getValue("email")).isNull();
      assertThat(speaker.getValue("match_confidence")).isNull();
    }
    assertThat(withoutEmission(service.pull("/api/v1/captures/" + untouched, key).body()))
        .isEqualTo(withoutEmission(before));
    assertThat(TextSearch.in(service, name, email)).isEmpty();
  }

  @Test
  void aMemberThatIsPutAgainIsANewOne() {
    String key = service.mintKey(workspace);
    UUID former = UUID.randomUUID();
    service.put(former, conversation());
    erase(workspace, ada);
    UUID latter = UUID.randomUUID();
    service.put(latter, conversation());
    service.enter(workspace, 1);

    assertThat(service.pull("/api/v1/captures/" + former, key).body()).doesNotContain(name);
    assertThat(service.pull("/api/v1/captures/" + latter, key).body()).contains(name);
  }

  /** Whoever is named by a capture can be erased. */
  @Test
  @Tag("full")
  void whoIsPutMeanwhileIsErasedFromThatCaptureOrKnown() throws Exception {
    UUID first = UUID.randomUUID();
    service.put(first, conversation());
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> puts = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        boolean assigning = thread == 0;
        puts.add(
            threads.submit(() -> {
              for (int i = 0; i < 40; i++) {
                if (assigning) {
                  assign(first);
                } else {
                  service.put(UUID.randomUUID(), conversation());
                }
              }
            }));
      }
      while (!puts.stream().allMatch(Future::isDone)) {
        assertThat(erase(workspace, ada).statusCode()).isIn(200, 404);
      }
      for (Future<?> put : puts) {
        put.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(
            service
                .query(
                    """
                    select c.id from captures c, unnest(c.members) as named(id)
                    where c.workspace_id = '%s' and named.id is not null
                      and not exists (
                        select from members m where m.workspace_id = c.workspace_id and m.id = named.id)
                    """
                        .formatted(workspace))
                .size())
        .isZero();
    service.put(UUID.randomUUID(), conversation());
    assertThat(erase(workspace, ada).statusCode()).isEqualTo(200);
    assertThat(TextSearch.in(service, name, email)).isEmpty();
  }

  private void assign(UUID capture) {
    JsonObject member =
        new JsonObject().put("id", ada.toString()).put("name", name).put("email", email);
    var answer =
        service.internal(
            "PATCH",
            "/internal/v1/captures/" + capture + "/participants/S1",
            new JsonObject().put("member", member));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  @Test
  void refusesUnknownMembersAndThoseOfAnotherWorkspace() {
    service.put(UUID.randomUUID(), conversation());

    assertThat(erase(workspace, UUID.randomUUID()).statusCode()).isEqualTo(404);
    assertThat(erase(UUID.randomUUID(), ada).statusCode()).isEqualTo(404);
    assertThat(erase(workspace, ada).statusCode()).isEqualTo(200);
    assertThat(erase(workspace, ada).statusCode()).isEqualTo(404);
  }

  private static HttpResponse<String> erase(UUID workspace, UUID member) {
    return service.internal(
        "DELETE", "/internal/v1/workspaces/%s/members/%s".formatted(workspace, member), "");
  }

  private static JsonObject withoutEmission(String document) {
    JsonObject json = new JsonObject(document);
    json.remove("emitted_at");
    return json;
  }

  private JsonObject conversation() {
    JsonObject member =
        new JsonObject().put("id", ada.toString()).put("name", name).put("email", email);
    return Service.conversation(workspace, member, "Hi.");
  }
}
