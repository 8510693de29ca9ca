package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.api.Service;
import io.egress.webhook.delivery.DeliveryId;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Pages of a workspace with many endpoints are answered within a request's time, and have a bounded
 * size. The service answers with 503 otherwise.
 */
@Timeout(900)
class LargeWorkspaceTest {
  private static final int ENDPOINTS_PER_PAGE = 50;
  private static final int PAGE_CHARACTERS_MAX = 500_000;
  private static final Pattern OF_DELIVERY = Pattern.compile("id=\"delivery-[^>]*>([^<]*)</a>");
  private static final Pattern OF_CAPTURE = Pattern.compile("<dt>Title</dt><dd><bdi>([^<]*)</bdi>");

  private final UUID workspace = UUID.randomUUID();
  private Service service;

  @BeforeEach
  void start() {
    service = Service.start();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  @Tag("full")
  void isShownPageByPage() {
    check(2_000, 20, 2);
  }

  @Test
  @Tag("full")
  void isShownPageByPageWithTenThousandEndpoints() {
    check(10_000, 20, 2);
  }

  /** A million deliveries. */
  @Test
  @Tag("long")
  void isShownPageByPageWithALongHistory() {
    check(10_000, 1_000, 100);
  }

  private void check(int endpoints, int captures, int delivered) {
    LargeWorkspace large = new LargeWorkspace(service, workspace, endpoints, captures, delivered);
    otherWorkspaces();
    UUID failing = large.endpoint(0);
    String page = "/portal/" + workspace;
    Browser admin = Browser.at(service, workspace, "admin");
    admin.submit(
        page + "/keys",
        page + "/endpoints/" + failing + "/replay",
        Map.of("what", "all", "from_position", String.valueOf(captures)));

    for (String path :
        List.of(
            "/",
            "/live/overview",
            "/captures",
            "/captures?search=no%20such%20title",
            "/keys",
            "/endpoints",
            "/endpoints?page=" + endpoints / ENDPOINTS_PER_PAGE,
            "/endpoints?search=receiver%209",
            "/endpoints?only=troubled",
            "/endpoints/new",
            "/keys/new",
            "/endpoints/" + failing,
            "/endpoints/" + failing + "/replay",
            "/deliveries",
            "/live/deliveries",
            "/deliveries?state=pending",
            "/deliveries?state=exhausted",
            "/deliveries?state=skipped",
            "/deliveries?state=delivered",
            "/deliveries?outcome=status",
            "/deliveries?outcome=timeout",
            "/deliveries?title=Q3",
            "/deliveries?title=nothing",
            "/deliveries?endpoint=" + failing,
            "/deliveries?endpoint=" + failing + "&state=exhausted",
            "/deliveries?capture_id=" + large.capture(captures),
            "/deliveries/" + DeliveryId.of(large.endpoint(77), large.capture(captures)),
            "/deliveries/" + DeliveryId.of(large.endpoint(1), large.capture(captures - 1)),
            "/captures/" + large.capture(captures),
            "/replays",
            "/replays/start-all",
            "/live/replays",
            "/verification",
            "/audit")) {
      shown(admin, page + path);
    }
    for (int position = captures; position > captures - LargeWorkspace.TITLES.size(); position--) {
      String capture = shown(admin, page + "/captures/" + large.capture(position));
      assertThat(titles(capture, OF_CAPTURE)).containsExactly(LargeWorkspace.titleAt(position));
    }
    String found = shown(admin, page + "/deliveries?title=Q3");
    assertThat(titles(found, OF_DELIVERY)).containsExactly(LargeWorkspace.titleAt(captures));
    assertThat(found).doesNotContain("<b>Q3");
    paging(admin, page);

    Browser operator = Browser.ofOperator(service, "grace");
    assertThat(shown(operator, "/portal/operator/"))
        .contains(
            "id=\"workspace-" + workspace, "of %,d, of which 100 were judged".formatted(endpoints));
    shown(operator, "/portal/operator/?search=" + workspace);
    shown(operator, "/portal/operator/" + workspace + "/");
    assertThat(
            service
                .internal("GET", "/internal/v1/captures/" + large.capture(captures), "")
                .statusCode())
        .isEqualTo(200);
  }

  private void otherWorkspaces() {
    service.query(
        """
        insert into workspaces (id, name) select gen_random_uuid(), 'Tenant ' || n from generate_series(1, 5000) as n\
        """);
    service.query(
        """
        insert into endpoints (id, workspace_id, spec, secret, created_position, full_history)
        select gen_random_uuid(), id, '{"url":"https://example.com/"}', '', 0, false from workspaces where name is not null\
        """);
  }

  private static String shown(Browser browser, String path) {
    HttpResponse<String> answer = browser.get(path);
    assertThat(answer.statusCode()).as(path).isEqualTo(200);
    assertThat(answer.body().length()).as(path).isLessThan(PAGE_CHARACTERS_MAX);
    return answer.body();
  }

  /** As a browser shows them, each once. */
  private static List<String> titles(String html, Pattern place) {
    return place.matcher(html).results().map(LargeWorkspaceTest::unescaped).distinct().toList();
  }

  private static String unescaped(MatchResult title) {
    return title
        .group(1)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
  }

  /** Pages of the list follow each other without gaps, over the end of a capture. */
  private static void paging(Browser admin, String page) {
    Pattern row = Pattern.compile("id=\"delivery-([0-9a-f-]{36})\"");
    Pattern older = Pattern.compile("href=\"([^\"]+)\" rel=\"next\"");
    List<String> ids = new ArrayList<>();
    String path = page + "/deliveries";
    for (int i = 0; i < 5; i++) {
      String html = shown(admin, path);
      row.matcher(html).results().forEach(each -> ids.add(each.group(1)));
      path =
          older
              .matcher(html)
              .results()
              .map(each -> each.group(1).replace("&amp;", "&"))
              .findFirst()
              .orElseThrow();
    }
    assertThat(ids).hasSize(250).doesNotHaveDuplicates();
  }
}
