package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.api.admin.deliveries.WrittenOutcomes;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of an operator, as plain HTTP. */
class OperatorPagesTest {
  private static final String HOME = "/portal/operator";
  private static final String HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
  private static final Pattern LISTED = Pattern.compile("id=\"workspace-([0-9a-f-]{36})\"");

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String api = "/internal/v1/workspaces/" + workspace;
  private final String page = HOME + "/" + workspace;
  private Browser operator;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, WrittenOutcomes.DAYS).run();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void open() {
    operator = Browser.ofOperator(service, "grace@example.com");
  }

  @Test
  void aLinkOfAnOperatorOpensTheListOfAllWorkspacesOnce() {
    HttpResponse<String> link = Browser.operatorLink(service, "grace@example.com");
    assertThat(link.statusCode()).isEqualTo(201);
    Browser browser = new Browser(service);

    HttpResponse<String> opened = browser.open(Browser.token(link));
    assertThat(opened.statusCode()).isEqualTo(303);
    assertThat(opened.headers().firstValue("location")).hasValue(HOME + "/");
    assertThat(opened.headers().firstValue("set-cookie").orElseThrow())
        .contains("; Path=" + HOME + ";", "; HttpOnly", "; SameSite=Lax", "; Max-Age=28800");
    assertThat(browser.get(HOME + "/").body())
        .contains("grace@example.com", "operator", "Workspaces")
        .doesNotContain("API keys");
    assertThat(new Browser(service).open(Browser.token(link)).statusCode()).isEqualTo(403);

    HttpResponse<String> left = browser.submit(HOME + "/", HOME + "/leave", Map.of());
    assertThat(left.statusCode()).isEqualTo(200);
    assertThat(left.headers().firstValue("set-cookie").orElseThrow())
        .contains("; Path=" + HOME + ";", "Max-Age=0");
    assertThat(browser.get(HOME + "/").statusCode()).isEqualTo(403);
  }

  @Test
  void aLinkNamesItsOperatorAndNoWorkspace() {
    for (String body :
        List.of(
            "{}",
            "{\"role\":\"operator\"}",
            "{\"role\":\"operator\",\"actor\":null}",
            "{\"role\":\"operator\",\"actor\":\" \"}",
            "{\"role\":\"operator\",\"actor\":\"a\\u0007b\"}",
            "{\"role\":\"admin\",\"actor\":\"grace\"}")) {
      assertThat(service.internal("POST", "/internal/v1/portal-links", body).statusCode())
          .as(body)
          .isEqualTo(400);
    }
    HttpResponse<String> ofWorkspace = Browser.link(service, workspace, "operator", "grace");
    assertThat(ofWorkspace.statusCode()).isEqualTo(400);
    assertThat(ofWorkspace.body()).contains("an operator's link is of no workspace");
  }

  @Test
  void sessionsEndWhenTheyAreIdleOrOld() {
    String own = " where role = 'operator'";
    service.query("update portal_sessions set used_at = now() - interval '61 minutes'" + own);
    assertThat(operator.get(HOME + "/").statusCode()).isEqualTo(403);
    service.query("update portal_sessions set used_at = now()" + own);
    assertThat(operator.get(HOME + "/").statusCode()).isEqualTo(200);
    service.query("update portal_sessions set expires_at = now() - interval '1 second'" + own);
    assertThat(operator.get(HOME + "/").statusCode()).isEqualTo(403);
  }

  @Test
  void anApplicationThatEmbedsThePageDoesNotEmbedThoseOfOperators() {
    try (Service embedded =
        service.twin(
            Map.of(
                "EGRESS_PORTAL_URL", "https://egress.example.com/settings",
                "EGRESS_PORTAL_ANCESTORS", "https://app.example.com"))) {
      Browser browser = new Browser(embedded);
      HttpResponse<String> opened =
          browser.open(Browser.token(Browser.operatorLink(embedded, "grace")));
      assertThat(opened.headers().firstValue("location")).hasValue("/settings" + HOME + "/");
      assertThat(opened.headers().firstValue("set-cookie").orElseThrow())
          .contains("; Path=/settings" + HOME + ";", "; Secure; SameSite=Lax")
          .doesNotContain("Partitioned");
      for (String path : List.of(HOME, HOME + "/", "/portal/%6Fperator/", HOME + "/nowhere")) {
        assertThat(browser.get(path).headers().firstValue("content-security-policy").orElseThrow())
            .as(path)
            .endsWith("frame-ancestors 'none'");
      }
    }
  }

  @Test
  void workspacesWithProblemsAreListedFirst() {
    WrittenOutcomes written = new WrittenOutcomes(service, workspace);
    UUID down = written.endpoint();
    written.captures(3);
    written.write(down, 0, 1, DeliveryState.PENDING);
    written.write(down, 1, 3, DeliveryState.EXHAUSTED);
    service.internal(
        "PATCH",
        api,
        new JsonObject().put("name", HOSTILE).put("retention", "90d").put("legal_hold", true));
    List<UUID> quiet = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      quiet.add(UUID.randomUUID());
      service.internal(
          "PATCH",
          "/internal/v1/workspaces/" + quiet.get(i),
          new JsonObject().put("name", "Quiet " + i));
    }

    String first = operator.get(HOME + "/").body();
    List<UUID> listed = listed(first);
    assertThat(listed).hasSize(20).contains(workspace);
    assertThat(row(first, workspace))
        .contains(
            "&lt;script&gt;alert(1)",
            "1 down",
            "https://example.com/hook is down: answered 500 Internal Server Error",
            "1 not delivered yet, the oldest for",
            "2 given up or skipped",
            "3 in the last hour",
            "90 d, on legal hold",
            "href=\"" + page + "/\"")
        .doesNotContain("<script>");
    assertThat(first.indexOf(workspace.toString()))
        .as("before every workspace without problems")
        .isLessThan(first.indexOf("Quiet "));

    List<UUID> all = new ArrayList<>(listed);
    String next = next(first);
    while (next != null) {
      String shown = operator.get(next).body();
      all.addAll(listed(shown));
      next = next(shown);
    }
    assertThat(all).containsAll(quiet).doesNotHaveDuplicates();

    String searched = operator.get(HOME + "/?search=quiet%202").body();
    assertThat(listed(searched))
        .containsExactlyInAnyOrder(
            quiet.get(2),
            quiet.get(20),
            quiet.get(21),
            quiet.get(22),
            quiet.get(23),
            quiet.get(24));
    String beginning = workspace.toString().substring(0, 23).toUpperCase(Locale.ROOT);
    assertThat(listed(operator.get(HOME + "/?search=" + beginning).body()))
        .containsExactly(workspace);
    assertThat(operator.get(HOME + "/?search=%25").body()).contains("No matching workspaces");
    for (String wrong :
        List.of("after=x", "after=others.x", "after=" + workspace, "search=" + "x".repeat(201))) {
      assertThat(operator.get(HOME + "/?" + wrong).statusCode()).as(wrong).isEqualTo(400);
    }
  }

  @Test
  void aCaptureIsFoundInWhateverWorkspaceOrSaysWhyItIsNot() {
    WrittenOutcomes written = new WrittenOutcomes(service, workspace);
    UUID endpoint = written.endpoint();
    UUID capture = service.enter(workspace, 1).get(0);
    written.write(endpoint, 0, 1, DeliveryState.EXHAUSTED);
    written.endpoint();

    assertThat(operator.get(HOME + "/captures").body()).contains("Capture id");
    HttpResponse<String> found = operator.get(HOME + "/captures?id=%20" + capture);
    assertThat(found.statusCode()).isEqualTo(303);
    String path = found.headers().firstValue("location").orElseThrow();
    assertThat(path).isEqualTo(page + "/captures/" + capture);
    assertThat(operator.get(path).body())
        .contains(
            "in the stream",
            "given up",
            "One endpoint does not get it",
            workspace.toString(),
            "href=\"" + page + "/deliveries/",
            "Erase this capture");

    HttpResponse<String> unknown = operator.get(HOME + "/captures?id=" + UUID.randomUUID());
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("never received a capture with this id", "name=\"id\"");
    HttpResponse<String> noId = operator.get(HOME + "/captures?id=%3Cscript%3E");
    assertThat(noId.statusCode()).isEqualTo(400);
    assertThat(noId.body()).contains("This is not an id", "value=\"&lt;script>\"");
    assertThat(operator.get(HOME + "/" + UUID.randomUUID() + "/captures/" + capture).statusCode())
        .isEqualTo(404);

    UUID silent = UUID.randomUUID();
    service.put(silent, Service.capture(workspace).put("segments", new JsonArray()));
    assertThat(operator.get(page + "/captures/" + silent).body())
        .contains("not in the stream", "has no segments", "no endpoint gets it");
    service.internal("DELETE", "/internal/v1/captures/" + capture, "{\"reason\":\"on request\"}");
    assertThat(operator.get(page + "/captures/" + capture).body())
        .contains("erased", "on request", "its place in the order stays")
        .doesNotContain("Erase this capture");
  }

  @Test
  void anOperatorWorksInAWorkspaceAndItsAuditLogSaysWho() {
    service.enter(workspace, 1);
    Browser admin = Browser.at(service, workspace, "admin");
    String entered = "Opened this page by a link, as an operator.";
    assertThat(admin.get("/portal/" + workspace + "/audit").body()).doesNotContain(entered);

    String overview = operator.get(page + "/").body();
    assertThat(overview)
        .contains("Captures in the stream", "href=\"" + HOME + "/\"", "All workspaces", "operator");
    operator.get(page + "/endpoints");
    HttpResponse<String> minted =
        operator.submit(page + "/keys", page + "/keys", Map.of("name", "by support"));
    assertThat(minted.statusCode()).isEqualTo(201);
    HttpResponse<String> refused =
        operator.submit(page + "/keys", page + "/keys/" + UUID.randomUUID() + "/delete", Map.of());
    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(refused.body()).contains("href=\"" + HOME + "/\"");

    String audit = admin.get("/portal/" + workspace + "/audit?actor=grace%40example.com").body();
    assertThat(audit).contains("Created the API key “by support”", "by page");
    assertThat(audit.split(Pattern.quote(">" + entered), -1)).as("entered once").hasSize(2);
    assertThat(audit(workspace.toString(), "portal_session.opened", "grace@example.com"))
        .isEqualTo(1);
    assertThat(audit("none", "portal_link.created", null)).isGreaterThanOrEqualTo(1);
    assertThat(audit("none", "portal_session.opened", "grace@example.com"))
        .isGreaterThanOrEqualTo(1);
  }

  @Test
  void aWorkspaceThatHasEndedIsSeenAndTakesNothing() {
    service.enter(workspace, 1);
    service.internal("DELETE", api, "");

    assertThat(operator.get(HOME + "/?search=" + workspace).body()).contains("ended at");
    for (String each :
        List.of("/", "/captures", "/keys", "/endpoints", "/deliveries", "/replays")) {
      assertThat(operator.get(page + each).body())
          .as(each)
          .contains("This workspace ended at", "Its captures are being erased")
          .doesNotContain("<button class=\"primary\">", "Add an endpoint", "kept for good");
    }
    assertThat(operator.submit(page + "/keys", page + "/keys", Map.of("name", "late")).statusCode())
        .isEqualTo(410);

    service.query("update workspaces set emptied_at = now() where id = '%s'".formatted(workspace));
    assertThat(operator.get(page + "/").body()).contains("All its captures were erased by");
    assertThat(row(operator.get(HOME + "/?search=" + workspace).body(), workspace))
        .contains("ended at");
  }

  private static long audit(String workspaceId, String action, @Nullable String actor) {
    return service
        .query(
            "select count(*) from audit where action = '%s' and changes->>'role' = 'operator' and coalesce(workspace_id::text, 'none') = '%s' and %s"
                .formatted(action, workspaceId, actor == null ? "true" : "actor = '" + actor + "'"))
        .iterator()
        .next()
        .getLong(0);
  }

  private static List<UUID> listed(String html) {
    return LISTED.matcher(html).results().map(each -> UUID.fromString(each.group(1))).toList();
  }

  private static String row(String html, UUID workspace) {
    int begin = html.indexOf("id=\"workspace-" + workspace);
    return html.substring(begin, html.indexOf("</tr>", begin));
  }

  private static @Nullable String next(String html) {
    Matcher found = Pattern.compile("href=\"([^\"]+)\" rel=\"next\"").matcher(html);
    return found.find() ? found.group(1).replace("&amp;", "&") : null;
  }
}
