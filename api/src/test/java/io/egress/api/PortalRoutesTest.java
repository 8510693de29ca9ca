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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route of the settings page checks session, workspace and role. */
@Execution(ExecutionMode.CONCURRENT)
class PortalRoutesTest {
  private static final UUID MINE = UUID.randomUUID();
  private static final UUID THEIRS = UUID.randomUUID();

  /** Pages that are only forms. */
  private static final List<String> FORMS =
      List.of(
          "/:id/delete",
          "/:id/clone",
          "/:id/erase",
          "/:id/change",
          "/:id/rotate",
          "/:id/replay",
          "/replays/start-all",
          "/keys/new",
          "/endpoints/new");

  /** Not the shared one: the audit log must not grow by what others do. */
  private static final Service service = Service.startAsWithPooler();

  private static Browser admin;
  private static Browser viewer;
  private static Browser stranger;
  private static PortalThings things;

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeAll
  static void start() {
    admin = Browser.at(service, THEIRS, "admin");
    viewer = Browser.at(service, THEIRS, "view");
    stranger = Browser.at(service, MINE, "admin");
    things = new PortalThings(service, THEIRS);
  }

  static Stream<Routes.Call> routes() {
    return service.app.pages().stream()
        .filter(call -> call.path().startsWith("/portal/:workspace"));
  }

  static Stream<Routes.Call> changes() {
    return routes()
        .filter(call -> call.method().equals(HttpMethod.POST))
        .filter(call -> !call.path().endsWith("/leave"));
  }

  static Stream<Routes.Call> ofThings() {
    return routes().filter(call -> call.path().contains(":id"));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void everyPageNeedsASession(Routes.Call call) {
    assertThat(send(new Browser(service), call, THEIRS, Map.of()).statusCode()).isEqualTo(403);
  }

  /** Also with a cookie that a browser would not send there. */
  @ParameterizedTest
  @MethodSource("routes")
  void aSessionOfAnotherWorkspaceOpensNothing(Routes.Call call) {
    Browser misused = stranger.misusing("/portal/" + MINE, "/portal/" + THEIRS);
    HttpResponse<String> answer =
        send(misused, call, THEIRS, Map.of("csrf", stranger.csrf("/portal/" + MINE + "/")));

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).doesNotContain(PortalThings.SECRET_TITLE, "example.com");
  }

  /** A session at one's own workspace does not reach the things of another by their ids. */
  @ParameterizedTest
  @MethodSource("ofThings")
  void objectsOfAnotherWorkspaceAreNotFound(Routes.Call call) {
    String before = audit();
    HttpResponse<String> answer =
        send(stranger, call, MINE, Map.of("csrf", stranger.csrf("/portal/" + MINE + "/")));

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).doesNotContain(PortalThings.SECRET_TITLE, "example.com");
    assertThat(audit()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aViewerChangesNothing(Routes.Call call) {
    String before = audit();
    HttpResponse<String> answer =
        send(viewer, call, THEIRS, Map.of("csrf", viewer.csrf("/portal/" + THEIRS + "/")));

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("session is read-only");
    assertThat(audit()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void formsFromOtherSitesAreRefused(Routes.Call call) {
    String before = audit();
    String token = admin.csrf("/portal/" + THEIRS + "/");
    String own = service.internalUrl("");
    for (Map<String, String> fromElsewhere :
        List.of(
            Map.of("sec-fetch-site", "cross-site"),
            Map.of("sec-fetch-site", "same-site"),
            Map.of("sec-fetch-site", "cross-site", "origin", own),
            Map.of("origin", "https://evil.example"),
            Map.of("origin", "null"),
            Map.<String, String>of())) {
      assertThat(
              admin
                  .post(
                      things.path(call, THEIRS),
                      PortalThings.with(Map.of("csrf", token)),
                      fromElsewhere)
                  .statusCode())
          .as(fromElsewhere.toString())
          .isEqualTo(403);
    }
    for (Map<String, String> wrong :
        List.of(Map.<String, String>of(), Map.of("csrf", ""), Map.of("csrf", token + "x"))) {
      assertThat(send(admin, call, THEIRS, wrong).statusCode()).isEqualTo(403);
    }
    assertThat(audit()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void aViewerSeesEverythingButNoFormThatChangesSomething(Routes.Call call) {
    if (call.method().equals(HttpMethod.GET) && !PortalThings.isOfAnAttempt(call)) {
      HttpResponse<String> seen = send(viewer, call, THEIRS, Map.of());
      boolean isForm = FORMS.stream().anyMatch(form -> call.path().endsWith(form));
      assertThat(seen.statusCode()).isEqualTo(isForm ? 403 : 200);
      assertThat(seen.body().replace("/leave\"", ""))
          .doesNotContainPattern("<form[^>]*method=\"post\" action=\"[^\"]*/[a-z-]+\"");
    }
  }

  @ParameterizedTest
  @MethodSource("routes")
  void nothingShownIsCached(Routes.Call call) {
    if (call.method().equals(HttpMethod.GET) && !PortalThings.isOfAnAttempt(call)) {
      HttpResponse<String> answer = send(admin, call, THEIRS, Map.of());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
      assertThat(answer.headers().firstValue("content-security-policy")).isPresent();
      assertThat(answer.body()).doesNotContain("style=\"").doesNotContain("<script>");
    }
  }

  private static HttpResponse<String> send(
      Browser browser, Routes.Call call, UUID workspace, Map<String, String> fields) {
    return things.send(browser, call, workspace, fields);
  }

  private static String audit() {
    return PortalThings.audit(service);
  }
}
