package io.egress.api.admin.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;

/** HTTP calls to the endpoints of a workspace. */
public record EndpointsClient(Service service, UUID workspace) {
  static String message(HttpResponse<String> answer) {
    return new JsonObject(answer.body()).getJsonObject("error").getString("message");
  }

  String path() {
    return "/internal/v1/workspaces/" + workspace + "/endpoints";
  }

  public String at(JsonObject endpoint) {
    return path() + "/" + endpoint.getString("id");
  }

  JsonObject create(String url) {
    return create(new JsonObject().put("url", url));
  }

  public JsonObject create(JsonObject endpoint) {
    HttpResponse<String> answer = service.internal("POST", path(), endpoint);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return new JsonObject(answer.body());
  }

  JsonObject show(JsonObject endpoint) {
    return new JsonObject(service.internal("GET", at(endpoint), "").body());
  }

  /** Empty, too, while nothing has named the workspace. */
  List<Object> list() {
    HttpResponse<String> answer = service.internal("GET", path(), "");
    return answer.statusCode() == 404
        ? List.of()
        : new JsonObject(answer.body()).getJsonArray("endpoints").stream().toList();
  }

  HttpResponse<String> change(JsonObject endpoint, String body) {
    return service.internal("PATCH", at(endpoint), body);
  }
}
