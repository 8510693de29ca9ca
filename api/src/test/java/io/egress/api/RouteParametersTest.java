package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.portal.Browser;
import io.egress.platform.http.Routes;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No parameter of any route takes text that PostgreSQL cannot hold. */
@Execution(ExecutionMode.CONCURRENT)
class RouteParametersTest {
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static final Pattern PARAMETER = Pattern.compile(":(\\w+)");
  private static final List<String> PAGE_PARAMETERS =
      List.of("after", "capture_id", "done", "endpoint", "id", "page", "search", "state", "token");
  private static final List<String> FIELDS =
      List.of(
          "all",
          "audience",
          "client_id",
          "client_secret",
          "csrf",
          "description",
          "expires_in",
          "from",
          "from_position",
          "full_history",
          "headers",
          "max_in_flight",
          "max_per_second",
          "name",
          "overlap",
          "reason",
          "remove",
          "scope",
          "to",
          "token_url",
          "token",
          "url",
          "value",
          "what");

  private static Service service;
  private static String key;
  private static Browser browser;
  private static Set<String> queryParameters;

  @BeforeAll
  static void start() {
    service = Service.start();
    key = service.mintKey(WORKSPACE);
    browser = Browser.at(service, WORKSPACE, "admin");
    browser.open(Browser.token(Browser.operatorLink(service, "grace")));
    queryParameters = new TreeSet<>(PAGE_PARAMETERS);
    queryParameters.addAll(described(service.publicUrl("/api/v1/openapi.json"), key));
    queryParameters.addAll(
        described(service.internalUrl("/internal/v1/openapi.json"), Service.TOKEN));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  static Stream<Routes.Call> routes() {
    return Stream.concat(service.app.calls().stream(), service.app.pages().stream());
  }

  static Stream<Routes.Call> forms() {
    return service.app.pages().stream().filter(call -> call.method().equals(HttpMethod.POST));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void refusesNulInEveryParameterOfPathAndQuery(Routes.Call call) {
    Map<String, String> targets = new HashMap<>();
    for (MatchResult parameter : PARAMETER.matcher(call.path()).results().toList()) {
      targets.put(parameter.group(1), path(call.path().replace(parameter.group(), "a%00b")));
    }
    for (String name : queryParameters) {
      targets.put(name, path(call.path()) + "?" + name + "=a%00b");
    }
    targets.forEach((name, target) -> {
      HttpResponse<String> answer = send(call, target);
      assertThat(answer.statusCode()).as(call.method() + " " + target).isEqualTo(400);
      assertThat(answer.body()).containsIgnoringCase(name).contains("U+0000");
    });
  }

  @ParameterizedTest
  @MethodSource("forms")
  void refusesNulInEveryFieldOfForms(Routes.Call call) {
    String token =
        browser.csrf(
            (call.path().startsWith("/portal/operator")
                    ? "/portal/operator"
                    : "/portal/" + WORKSPACE)
                + "/");
    for (String name : FIELDS) {
      Map<String, String> fields = new HashMap<>(Map.of("csrf", token));
      fields.put(name, "a\0b");
      HttpResponse<String> answer = browser.post(path(call.path()), fields);
      assertThat(answer.statusCode()).as(name + " of " + call.path()).isEqualTo(400);
      assertThat(answer.body()).containsIgnoringCase(name).contains("U+0000");
    }
  }

  @ParameterizedTest
  @MethodSource("routes")
  void takesAnyOtherBytes(Routes.Call call) {
    for (String value : List.of("%FF%FE", "%ED%A0%80", "%F0%9F%98%80", "a".repeat(200))) {
      String query =
          queryParameters.stream()
              .map(name -> name + "=" + value + "&" + name + "=" + value)
              .collect(Collectors.joining("&"));
      String target = path(call.path()) + "?" + query;
      assertThat(send(call, target).statusCode()).as(call.method() + " " + target).isLessThan(500);
    }
  }

  @Test
  void refusesUnknownParametersOfTheInternalApiWithTheNearestKnownOne() {
    String workspace = "/internal/v1/workspaces/" + WORKSPACE;
    assertThat(service.internal("GET", workspace + "/deliveries?stat=pending", "").body())
        .contains("there is no parameter stat; did you mean state?");
    assertThat(service.internal("GET", workspace + "/deliveries?stat=pending", "").statusCode())
        .isEqualTo(400);
    assertThat(service.internal("GET", workspace + "?name=x", "").body())
        .contains("there is no parameter name; this call has none");
    assertThat(browser.get("/portal/" + WORKSPACE + "/deliveries?stat=pending").body())
        .contains("There is no filter “stat”; did you mean state?");
    assertThat(service.pull("/api/v1/captures?limt=5", key).statusCode())
        .as("clients of the public API may be newer")
        .isEqualTo(200);
  }

  @Test
  void listsOfAWorkspaceThatNothingHasNamedAreErrors() {
    String unknown = "/internal/v1/workspaces/" + UUID.randomUUID();
    for (String list : List.of("/captures", "/deliveries", "/endpoints", "/api-keys")) {
      HttpResponse<String> answer = service.internal("GET", unknown + list, "");
      assertThat(answer.statusCode()).as(list).isEqualTo(404);
      assertThat(answer.body()).contains("no such workspace");
    }
  }

  @Test
  void thePublicListenerSaysThatItIsNotTheInternalOne() {
    for (String path : List.of("/internal/v1/workspaces", "/portal/" + WORKSPACE + "/")) {
      HttpResponse<String> answer = service.pull(path, key);
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("this is the public listener");
    }
  }

  /** Another workspace is ended than the one that all calls are made for. */
  private static String safe(Routes.Call call, String target) {
    return call.method().equals(HttpMethod.DELETE) && call.path().endsWith("/:workspace")
        ? target.replace(WORKSPACE.toString(), UUID.randomUUID().toString())
        : target;
  }

  private static HttpResponse<String> send(Routes.Call call, String wanted) {
    String target = safe(call, wanted);
    boolean isPublic = call.path().matches("/(api|\\.well-known)/.*");
    if (call.path().startsWith("/portal")) {
      return call.method().equals(HttpMethod.GET)
          ? browser.get(target)
          : browser.post(target, Map.of());
    }
    return Service.send(
        HttpRequest.newBuilder(
                URI.create(isPublic ? service.publicUrl(target) : service.internalUrl(target)))
            .header("authorization", "Bearer " + (isPublic ? key : Service.TOKEN))
            .header("content-type", "application/x-ndjson")
            .method(call.method().name(), BodyPublishers.noBody()));
  }

  private static String path(String pattern) {
    return pattern
        .replace(":workspace", WORKSPACE.toString())
        .replaceAll(":id\\b", UUID.randomUUID().toString())
        .replaceAll(":\\w+", "x");
  }

  /** The names of all query parameters in a description. */
  private static List<String> described(String url, String token) {
    JsonObject description =
        new JsonObject(
            Service.send(
                    HttpRequest.newBuilder(URI.create(url))
                        .header("authorization", "Bearer " + token))
                .body());
    JsonObject paths = description.getJsonObject("paths");
    JsonObject shared =
        description.getJsonObject("components").getJsonObject("parameters", new JsonObject());
    List<String> names = new ArrayList<>();
    for (String path : paths.fieldNames()) {
      for (String method : paths.getJsonObject(path).fieldNames()) {
        JsonArray parameters =
            paths.getJsonObject(path).getJsonObject(method).getJsonArray("parameters");
        if (parameters != null) {
          parameters.stream()
              .map(JsonObject.class::cast)
              .map(parameter ->
                  shared.getJsonObject(
                      parameter.getString("$ref", "").replaceFirst(".*/", ""), parameter))
              .filter(parameter -> "query".equals(parameter.getString("in")))
              .forEach(parameter -> names.add(parameter.getString("name")));
        }
      }
    }
    return names;
  }
}
