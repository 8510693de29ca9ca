package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Links and sessions. */
class PortalAccessTest {
  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/" + workspace;

  @BeforeAll
  static void start() {
    service = Service.start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** Only scripts see a fragment. */
  @Test
  void aBrowserWithoutScriptsTakesTheWholeLink() {
    String url =
        new JsonObject(Browser.link(service, workspace, "admin", "ada").body()).getString("url");
    Browser browser = new Browser(service);

    assertThat(browser.post("/portal/open", Map.of("token", "", "link", url)).statusCode())
        .isEqualTo(303);
    assertThat(browser.get(page + "/").statusCode()).isEqualTo(200);
  }

  @Test
  void aLinkOpensTheWorkspacesPageOnce() {
    HttpResponse<String> link = Browser.link(service, workspace, "admin", "ada@example.com");

    assertThat(link.statusCode()).isEqualTo(201);
    JsonObject answer = new JsonObject(link.body());
    assertThat(answer.getString("url"))
        .startsWith("http://127.0.0.1:" + service.app.internalPort() + "/portal/open#");
    assertThat(Duration.between(Instant.now(), Instant.parse(answer.getString("expires_at"))))
        .isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));

    Browser browser = new Browser(service);
    String token = Browser.token(link);
    HttpResponse<String> preview = browser.get("/portal/open");
    assertThat(preview.statusCode()).isEqualTo(200);
    assertThat(preview.body()).contains("method=\"post\"").doesNotContain(token);
    assertThat(browser.get("/portal/open?token=" + token).body()).as("of 1.0.0").contains(token);

    HttpResponse<String> opened = browser.open(token);
    assertThat(opened.statusCode()).isEqualTo(303);
    assertThat(opened.headers().firstValue("location")).hasValue(page + "/");
    assertThat(opened.headers().firstValue("set-cookie").orElseThrow())
        .contains("; Path=" + page + ";", "; HttpOnly", "; SameSite=Lax", "; Max-Age=28800")
        .doesNotContain("Secure");
    assertThat(browser.get(page + "/").body()).contains("ada@example.com", "admin");

    Browser other = new Browser(service);
    HttpResponse<String> again = other.open(token);
    assertThat(again.statusCode()).isEqualTo(403);
    assertThat(again.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
    assertThat(again.body()).contains("This link has expired, has already been used");
    assertThat(again.headers().firstValue("set-cookie")).isEmpty();
    assertThat(other.get(page + "/").statusCode()).isEqualTo(403);
  }

  @Test
  void ofConcurrentUsesOfALinkOneSucceeds() {
    String token = Browser.token(Browser.link(service, workspace, "view", null));

    List<CompletableFuture<Integer>> tries = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tries.add(CompletableFuture.supplyAsync(() -> new Browser(service).open(token).statusCode()));
    }

    assertThat(tries.stream().map(CompletableFuture::join).filter(status -> status == 303))
        .hasSize(1);
  }

  @Test
  void expiredAlteredAndMissingTokensAreRefused() {
    String token = Browser.token(Browser.link(service, workspace, "admin", null));
    String altered = (token.startsWith("A") ? "B" : "A") + token.substring(1);
    for (String wrong : List.of(altered, "", "x", token + "x", "' or 1=1 --", "é")) {
      assertThat(new Browser(service).open(wrong).statusCode()).as(wrong).isEqualTo(403);
    }
    service.query(
        "update portal_links set expires_at = now() - interval '1 second' where workspace_id = '"
            + workspace
            + "'");

    assertThat(new Browser(service).open(token).statusCode()).isEqualTo(403);
  }

  @Test
  void neitherTokensNorCookiesAreStored() {
    String token = Browser.token(Browser.link(service, workspace, "admin", null));
    Browser browser = new Browser(service);
    String cookie = browser.open(token).headers().firstValue("set-cookie").orElseThrow();
    String session = cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));

    for (String table : List.of("portal_links", "portal_sessions")) {
      service
          .query("select t::text || encode(hash, 'escape') as row from " + table + " t")
          .forEach(row -> assertThat(row.getString("row")).doesNotContain(token, session));
    }
  }

  @Test
  void invalidLinksAreRefused() {
    String path = "/internal/v1/workspaces/" + workspace + "/portal-links";
    for (String body :
        List.of(
            "{}",
            "{\"role\":\"owner\"}",
            "{\"role\":7}",
            "{\"role\":\"view\",\"actor\":\"\"}",
            "{\"role\":\"view\",\"actor\":\"a\\u0007b\"}",
            "{\"role\":\"view\",\"actor\":\"" + "a".repeat(201) + "\"}",
            "")) {
      assertThat(service.internal("POST", path, body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(
            service
                .internal("POST", path, "{\"role\":\"view\",\"actor\":\"" + "a".repeat(200) + "\"}")
                .statusCode())
        .isEqualTo(201);
  }

  @Test
  void sessionsEndWhenTheyAreIdleOrOld() {
    Browser browser = Browser.at(service, workspace, "admin");
    String own = " where workspace_id = '" + workspace + "'";
    service.query("update portal_sessions set used_at = now() - interval '59 minutes'" + own);
    assertThat(browser.get(page + "/live/overview").statusCode()).isEqualTo(200);
    assertThat(idle(own)).as("a page that brings itself up to date").isGreaterThan(3_000);
    assertThat(browser.get(page + "/").statusCode()).isEqualTo(200);
    assertThat(idle(own)).as("a person at the page").isLessThan(3_000);

    service.query("update portal_sessions set used_at = now() - interval '61 minutes'" + own);
    HttpResponse<String> idle = browser.get(page + "/");
    assertThat(idle.statusCode()).isEqualTo(403);
    assertThat(idle.body()).contains("has ended");
    HttpResponse<String> live = browser.get(page + "/live/overview");
    assertThat(live.statusCode()).isEqualTo(403);
    assertThat(live.headers().firstValue("hx-refresh")).hasValue("true");
    assertThat(live.body()).as("an error page").contains("has ended").contains("</html>");

    service.query(
        "update portal_sessions set used_at = now(), expires_at = now() - interval '1 second'"
            + own);
    assertThat(browser.get(page + "/").statusCode()).isEqualTo(403);
  }

  private static long idle(String own) {
    return service
        .query(
            "select extract(epoch from now() - used_at)::bigint as idle from portal_sessions" + own)
        .iterator()
        .next()
        .getLong("idle");
  }

  @Test
  void sessionsSurviveARestartAndAreSharedByProcesses() {
    Browser browser = Browser.at(service, workspace, "view");
    try (Service twin = service.twin()) {
      assertThat(browser.with(twin).get(page + "/").statusCode()).isEqualTo(200);
      Browser other = Browser.at(twin, workspace, "admin");
      assertThat(other.with(service).get(page + "/").body()).contains("admin");
    }
  }

  @Test
  void signingOutEndsTheSession() {
    Browser browser = Browser.at(service, workspace, "view");
    Browser kept = browser.with(service);

    HttpResponse<String> left = browser.submit(page + "/", page + "/leave", Map.of());

    assertThat(left.statusCode()).isEqualTo(200);
    assertThat(left.headers().firstValue("set-cookie").orElseThrow()).contains("Max-Age=0");
    assertThat(kept.get(page + "/").statusCode()).isEqualTo(403);
  }

  @Test
  void sessionsAndUnopenedLinksOfAPersonCanBeEnded() {
    String sessions = "/internal/v1/workspaces/" + workspace + "/portal-sessions";
    Browser ada = new Browser(service);
    ada.open(Browser.token(Browser.link(service, workspace, "admin", "ada")));
    Browser grace = new Browser(service);
    grace.open(Browser.token(Browser.link(service, workspace, "view", "grace")));
    String unopened = Browser.token(Browser.link(service, workspace, "admin", "ada"));

    JsonArray open =
        new JsonObject(service.internal("GET", sessions, "").body())
            .getJsonArray("portal_sessions");
    assertThat(open.stream().map(each -> ((JsonObject) each).getString("actor")))
        .containsExactly("grace", "ada");
    assertThat(open.getJsonObject(0).getString("remote_address")).isEqualTo("127.0.0.1");
    assertThat(service.internal("DELETE", sessions + "?actor=ada", "").body())
        .isEqualTo("{\"sessions\":1,\"links\":1}");

    assertThat(ada.get(page + "/").statusCode()).isEqualTo(403);
    assertThat(new Browser(service).open(unopened).statusCode()).isEqualTo(403);
    assertThat(grace.get(page + "/audit").body()).contains("Ended 1 sessions and 1 links of ada");
    service.internal("DELETE", sessions, "");
    assertThat(grace.get(page + "/").statusCode()).isEqualTo(403);
  }

  @Test
  void twoWorkspacesCanBeOpenSideBySide() {
    UUID second = UUID.randomUUID();
    Browser browser = Browser.at(service, workspace, "admin");
    browser.open(Browser.token(Browser.link(service, second, "view", "grace")));

    assertThat(browser.get(page + "/").body()).contains(workspace.toString(), "admin");
    assertThat(browser.get("/portal/" + second + "/").body())
        .contains(second.toString(), "grace", "view only");
  }

  @Test
  void everyResponseHasTheContentSecurityPolicy() {
    Browser browser = Browser.at(service, workspace, "admin");
    for (String path :
        List.of(page + "/", page + "/nowhere", "/portal/open?token=x", "/portal/nowhere/at/all")) {
      HttpResponse<String> answer = browser.get(path);
      assertThat(answer.headers().firstValue("content-security-policy").orElseThrow())
          .as(path)
          .isEqualTo(
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                  + " connect-src 'self'; form-action 'self'; base-uri 'none';"
                  + " frame-ancestors 'none'");
      assertThat(answer.headers().firstValue("referrer-policy")).hasValue("no-referrer");
      assertThat(answer.headers().firstValue("x-content-type-options")).hasValue("nosniff");
      assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
      assertThat(answer.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
    }
  }

  @Test
  void embeddingNeedsAConfiguredOrigin() {
    try (Service embedded =
        service.twin(
            Map.of(
                "EGRESS_PORTAL_URL",
                "https://egress.example.com/settings/",
                "EGRESS_PORTAL_ANCESTORS",
                "https://app.example.com, https://admin.example.com:8443"))) {
      HttpResponse<String> link = Browser.link(embedded, workspace, "admin", null);
      assertThat(new JsonObject(link.body()).getString("url"))
          .startsWith("https://egress.example.com/settings/portal/open#");
      Browser browser = new Browser(embedded);
      HttpResponse<String> opened = browser.open(Browser.token(link));
      assertThat(opened.headers().firstValue("location"))
          .hasValue("/settings/portal/" + workspace + "/");
      assertThat(opened.headers().firstValue("set-cookie").orElseThrow())
          .contains("; Path=/settings/portal/" + workspace + ";")
          .contains("; Secure; SameSite=None; Partitioned");
      assertThat(browser.get(page + "/").headers().firstValue("content-security-policy"))
          .hasValueSatisfying(policy ->
              assertThat(policy)
                  .endsWith(
                      "frame-ancestors https://app.example.com https://admin.example.com:8443"));
    }
  }

  @Test
  void staticFilesAreCachedUntilTheyChange() {
    String html = new Browser(service).get("/portal/open?token=x").body();
    for (String file : List.of("portal.css", "portal.js", "htmx.min.js", "icon.svg")) {
      String path = html.replaceFirst("(?s).*\"(/portal/assets/[0-9a-f]+/" + file + ")\".*", "$1");
      HttpResponse<String> served = new Browser(service).get(path);
      assertThat(served.statusCode()).isEqualTo(200);
      assertThat(served.headers().firstValue("cache-control"))
          .hasValue("public, max-age=31536000, immutable");
      HttpResponse<String> old = new Browser(service).get("/portal/assets/0/" + file);
      assertThat(old.statusCode()).isEqualTo(200);
      assertThat(old.headers().firstValue("cache-control")).hasValue("no-store");
    }
    assertThat(new Browser(service).get("/portal/assets/0/../portal.css").statusCode())
        .isEqualTo(404);
  }
}
