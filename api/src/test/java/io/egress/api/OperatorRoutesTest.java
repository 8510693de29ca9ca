package io.egress.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.portal.Browser;
import io.egress.platform.http.Routes;
import io.vertx.core.http.HttpMethod;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every route of operators' pages needs a session of an operator, and that session opens no route
 * of a workspace's own pages.
 */
@Execution(ExecutionMode.CONCURRENT)
class OperatorRoutesTest {
  private static final UUID WORKSPACE = UUID.randomUUID();
  private static final String HOME = "/portal/operator";

  private static Service service;
  private static Browser operator;
  private static Browser admin;
  private static PortalThings things;

  @BeforeAll
  static void start() {
    service = Service.startAsWithPooler();
    operator = Browser.ofOperator(service, "grace");
    admin = Browser.at(service, WORKSPACE, "admin");
    things = new PortalThings(service, WORKSPACE);
    operator.get(HOME + "/" + WORKSPACE + "/");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  static Stream<Routes.Call> routes() {
    return service.app.pages().stream().filter(call -> call.path().startsWith(HOME));
  }

  static Stream<Routes.Call> ofWorkspaces() {
    return routes().filter(call -> call.path().contains(":workspace"));
  }

  static Stream<Routes.Call> changes() {
    return routes().filter(call -> call.method().equals(HttpMethod.POST));
  }

  static Stream<Routes.Call> ofOthers() {
    return service.app.pages().stream()
        .filter(call -> call.path().startsWith("/portal/:workspace"));
  }

  @Test
  void haveAllPagesOfAWorkspaceExceptTheEndOfItsSession() {
    assertThat(ofWorkspaces().map(call -> call.method() + call.path().substring(HOME.length())))
        .containsExactlyElementsOf(
            ofOthers()
                .filter(call -> !call.path().endsWith("/leave"))
                .map(call -> call.method() + call.path().substring("/portal".length()))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("routes")
  void needASession(Routes.Call call) {
    assertThat(things.send(new Browser(service), call, WORKSPACE, Map.of()).statusCode())
        .isEqualTo(403);
  }

  /** Also with a cookie that a browser would not send there. */
  @ParameterizedTest
  @MethodSource("routes")
  void refuseASessionOfAWorkspace(Routes.Call call) {
    String page = "/portal/" + WORKSPACE;
    String before = PortalThings.audit(service);
    HttpResponse<String> answer =
        things.send(
            admin.misusing(page, HOME), call, WORKSPACE, Map.of("csrf", admin.csrf(page + "/")));

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body())
        .doesNotContain(PortalThings.SECRET_TITLE, "example.com", WORKSPACE.toString());
    assertThat(PortalThings.audit(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("ofOthers")
  void doNotOpenThePagesThatAWorkspaceOpens(Routes.Call call) {
    Browser misused = operator.misusing(HOME, "/portal/" + WORKSPACE);
    HttpResponse<String> answer =
        things.send(misused, call, WORKSPACE, Map.of("csrf", operator.csrf(HOME + "/")));

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).doesNotContain(PortalThings.SECRET_TITLE, "example.com");
  }

  @ParameterizedTest
  @MethodSource("ofWorkspaces")
  void doNotCreateAWorkspace(Routes.Call call) {
    UUID nobody = UUID.randomUUID();
    HttpResponse<String> answer =
        things.send(operator, call, nobody, Map.of("csrf", operator.csrf(HOME + "/")));

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(service.query("select from workspaces where id = '" + nobody + "'").size()).isZero();
  }

  @ParameterizedTest
  @MethodSource("changes")
  void refuseFormsFromOtherSites(Routes.Call call) {
    String before = PortalThings.audit(service);
    String token = operator.csrf(HOME + "/");
    for (Map<String, String> fromElsewhere :
        List.of(
            Map.of("sec-fetch-site", "cross-site"),
            Map.of("sec-fetch-site", "same-site"),
            Map.of("origin", "https://evil.example"),
            Map.<String, String>of())) {
      assertThat(
              operator
                  .post(
                      things.path(call, WORKSPACE),
                      PortalThings.with(Map.of("csrf", token)),
                      fromElsewhere)
                  .statusCode())
          .as(fromElsewhere.toString())
          .isEqualTo(403);
    }
    for (Map<String, String> wrong :
        List.of(Map.<String, String>of(), Map.of("csrf", ""), Map.of("csrf", token + "x"))) {
      assertThat(things.send(operator, call, WORKSPACE, wrong).statusCode()).isEqualTo(403);
    }
    assertThat(PortalThings.audit(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void areShownUncachedAndInNoFrame(Routes.Call call) {
    if (call.method().equals(HttpMethod.GET) && !PortalThings.isOfAnAttempt(call)) {
      HttpResponse<String> answer = things.send(operator, call, WORKSPACE, Map.of());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
      assertThat(answer.headers().firstValue("content-security-policy").orElseThrow())
          .endsWith("frame-ancestors 'none'");
      assertThat(answer.body()).doesNotContain("style=\"").doesNotContain("<script>");
      assertThat(answer.body().replace("href=\"/portal/assets", ""))
          .as("nothing leads out of the session")
          .doesNotContainPattern("(href|action|hx-get)=\"(?!" + HOME + "[/\"]|#)/");
    }
  }
}
