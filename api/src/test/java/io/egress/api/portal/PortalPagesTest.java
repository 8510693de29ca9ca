package io.egress.api.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.testing.CertificateAuthority;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.DeliveryLog;
import io.egress.webhook.deliverylog.DeliveryState;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LogEntry;
import io.egress.webhook.deliverylog.LogMaintenance;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.SigningSecrets;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.SentRequest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What pages show and do, as plain HTTP. No dispatcher runs here. */
@Execution(ExecutionMode.CONCURRENT)
class PortalPagesTest {
  private static final String HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
  private static final LogDays DAYS = new LogDays(Clock.systemUTC(), Duration.ofDays(35));

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private final String page = "/portal/" + workspace;
  private final String api = "/internal/v1/workspaces/" + workspace;
  private Browser browser;

  @BeforeAll
  static void start() {
    service = Service.start();
    new LogMaintenance(service.database, DAYS).run();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void open() {
    browser = Browser.at(service, workspace, "admin");
  }

  /** So that saving the page widens no filter once there is a third mode. */
  @Test
  void aFilterOfAllModesByNameIsShownAsItIs() {
    JsonObject filter = new JsonObject().put("modes", new JsonArray().add("ambient").add("manual"));
    String path = "/internal/v1/workspaces/" + workspace + "/endpoints";
    JsonObject endpoint =
        new JsonObject(
            service
                .internal(
                    "POST",
                    path,
                    new JsonObject().put("url", "https://crm.example/hook").put("filter", filter))
                .body());

    assertThat(browser.get(page + "/endpoints/" + endpoint.getString("id")).body())
        .contains("<option value=\"ambient,manual\" selected>only ambient and manual</option>");
  }

  @Test
  void anEmptyWorkspaceShowsWhatToDoNext() {
    assertThat(browser.get(page + "/").body()).contains("Add an endpoint", "create an API key");
    assertThat(browser.get(page + "/keys").body()).contains("There is no key");
    assertThat(browser.get(page + "/endpoints").body()).contains("There is no endpoint");
    assertThat(browser.get(page + "/deliveries").body()).contains("There are no deliveries");
    assertThat(browser.get(page + "/replays").body()).contains("There are no replays yet");
    assertThat(browser.get(page + "/audit").body())
        .contains("portal_link.created", "portal_session.opened");
  }

  @Test
  void keysAreMintedShownOnceAndDeleted() {
    HttpResponse<String> minted =
        browser.submit(
            page + "/keys", page + "/keys", Map.of("name", "nightly", "expires_in", "30d"));
    assertThat(minted.statusCode()).isEqualTo(201);
    String key = find(minted, "(service_[A-Za-z0-9]{32})");
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);

    String list = browser.get(page + "/keys").body();
    assertThat(list)
        .contains("nightly", "ada", key.substring(key.length() - 4))
        .doesNotContain(key);
    String confirm = find(list, "href=\"(" + page + "/keys/[0-9a-f-]+/delete)\"");
    assertThat(browser.get(confirm).body()).contains("Delete the key “nightly”");
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(200);

    HttpResponse<String> deleted = browser.submit(confirm, confirm, Map.of());
    assertThat(deleted.statusCode()).isEqualTo(303);
    assertThat(browser.get(location(deleted)).body()).contains("Key deleted");
    assertThat(service.pull("/api/v1/captures", key).statusCode()).isEqualTo(401);
    assertThat(browser.submit(page + "/keys", confirm, Map.of()).statusCode()).isEqualTo(404);
  }

  @Test
  void theExpiryOfAKeyIsChanged() {
    browser.submit(page + "/keys/new", page + "/keys", Map.of("name", "nightly"));
    String form =
        find(browser.get(page + "/keys").body(), "href=\"(" + page + "/keys/[0-9a-f-]+/change)\"");
    String expiry = form.replaceFirst("change$", "expiry");
    assertThat(browser.get(form).body())
        .contains("expires never")
        .doesNotContain("name=\"extend\"");

    HttpResponse<String> empty = browser.submit(form, expiry, Map.of("expires_in", ""));
    assertThat(empty.statusCode()).isEqualTo(400);
    assertThat(empty.body()).contains("id=\"expires_at-problem\"", "At (UTC) must be an instant");
    HttpResponse<String> changed = browser.submit(form, expiry, Map.of("expires_in", "1d"));
    assertThat(changed.statusCode()).isEqualTo(303);
    assertThat(browser.get(location(changed)).body()).contains("Key changed");

    HttpResponse<String> later = browser.submit(form, expiry, Map.of("expires_in", "30d"));
    assertThat(later.statusCode()).isEqualTo(409);
    assertThat(later.body())
        .contains("expire later than it does now", "name=\"extend\"", "value=\"30d\" selected");
    Map<String, String> lateOnPurpose = Map.of("expires_in", "never", "extend", "true");
    assertThat(browser.submit(form, expiry, lateOnPurpose).statusCode()).isEqualTo(303);
    assertThat(browser.get(form).body()).contains("expires never");

    String day = LocalDate.now(ZoneOffset.UTC).plusDays(100).toString();
    browser.submit(form, expiry, Map.of("expires_in", "", "expires_at", day + "T09:30"));
    assertThat(browser.get(form).body()).contains(day + " 09:30:00");
    service.query("update api_keys set expires_at = now()");
    assertThat(browser.get(page + "/keys").body()).contains("expired").doesNotContain("/change\"");
  }

  @Test
  void howOftenAKeyIsExpectedToAskIsChanged() {
    browser.submit(
        page + "/keys/new",
        page + "/keys",
        Map.of("name", "nightly", "expect_within", "93600000ms"));
    assertThat(browser.get(page + "/keys").body()).contains("expected every 26h");
    String form =
        find(browser.get(page + "/keys").body(), "href=\"(" + page + "/keys/[0-9a-f-]+/change)\"");
    assertThat(browser.get(form).body())
        .contains("expected to pull every 26h", "value=\"93600000ms\" selected");

    String expectation = form.replaceFirst("change$", "expectation");
    HttpResponse<String> changed =
        browser.submit(form, expectation, Map.of("expect_within", "691200000ms"));
    assertThat(browser.get(location(changed)).body()).contains("Key changed", "expected every 8 d");
    assertThat(browser.submit(form, expectation, Map.of("expect_within", "1s")).body())
        .contains("Expected to pull must be at least 5m");
    browser.submit(form, expectation, Map.of("expect_within", ""));
    assertThat(browser.get(form).body()).contains("Nobody expects it to pull.");
  }

  @Test
  void aDeliveryShowsWhatWasSentAndWhatCameBackNewestFirst() {
    UUID endpoint = endpoint("hook");
    UUID capture = service.enter(workspace, 1).get(0);
    writeSent(endpoint, capture, 4, DeliveryState.PENDING);
    String path = page + "/deliveries/" + DeliveryId.of(endpoint, capture);

    String shown = browser.get(path).body();
    assertThat(shown)
        .containsSubsequence(
            "Attempt 4:", "Attempt 3:", "The 2 attempts before ended", "Attempt 2", "Attempt 1")
        .contains(
            "x-service-signature: t=1,v1=aa",
            "x-token: (withheld)",
            "server: nginx",
            "curl -sS -X POST 'https://example.com/hook'",
            "-H 'user-agent: a'\\''b'",
            "--data-binary @" + DeliveryId.of(endpoint, capture) + "-4.json",
            "/body?attempt=4\"");
    assertThat(browser.get(path + "/body?attempt=4").statusCode())
        .as("the length differs")
        .isEqualTo(409);
    assertThat(browser.get(path + "/body?attempt=x").statusCode()).isEqualTo(400);
    assertThat(browser.get(path + "/body?attempt=5").statusCode()).isEqualTo(404);

    Browser viewer = Browser.at(service, workspace, "view");
    assertThat(viewer.get(path).body()).contains("Attempt 4:").doesNotContain("/body?attempt=");
    assertThat(viewer.get(path + "/body?attempt=4").statusCode()).isEqualTo(403);
  }

  @Test
  void pausingSaysWhatItHolds() {
    UUID endpoint = endpoint("hook");
    String path = page + "/endpoints/" + endpoint;
    assertThat(browser.get(path).body()).doesNotContain("Pausing now holds");
    service.enter(workspace, 3);
    assertThat(browser.get(path).body()).contains("Pausing now holds 3 that are not delivered yet");
    done(browser.submit(path, path + "/pause", Map.of()));
    assertThat(browser.get(path).body()).doesNotContain("Pausing now holds");
  }

  @Test
  void theNameOfTheWorkspaceIsShownInsteadOfItsId() {
    String id = "<code>" + workspace + "</code>";
    assertThat(browser.get(page + "/").body()).contains(id);
    service.internal("PATCH", api, "{\"name\":\"Acme <Search>\"}");
    assertThat(browser.get(page + "/").body())
        .contains(">Acme &lt;Search&gt;</bdi>", "title=\"" + workspace + "\"")
        .doesNotContain(id);
  }

  @Test
  void theAuditLogIsFilteredAndExported() {
    browser.submit(
        page + "/keys/new", page + "/keys", Map.of("name", "=nightly", "expires_in", "1d"));
    UUID endpoint = endpoint("hook");
    service.internal(
        "PATCH", api + "/endpoints/" + endpoint, "{\"description\":\"CRM, \\\"new\\\"\"}");

    assertThat(browser.get(page + "/audit").body())
        .contains(
            "Created the API key “=nightly”, which expires at",
            "Changed the endpoint: the description from “hook” to “CRM, \"new\"”.",
            "Added the endpoint https://example.com/hook")
        .doesNotContain("{&#34;", "{\"from\"");
    String filtered =
        browser.get(page + "/audit?action=endpoint.changed&from=2026-01-01T00:00").body();
    assertThat(filtered)
        .contains("Changed the endpoint", "value=\"2026-01-01T00:00\"", "form=csv")
        .doesNotContain("Created the API key");
    assertThat(browser.get(page + "/audit?actor=nobody").body()).contains("No matching entries");
    assertThat(browser.get(page + "/audit?thing_id=" + endpoint).body())
        .contains("Added the endpoint")
        .doesNotContain("Created the API key");
    HttpResponse<String> wrong = browser.get(page + "/audit?from=soon&thing_id=x&actor=ada");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body())
        .contains("id=\"from-problem\"", "id=\"thing_id-problem\"", "value=\"ada\"");

    HttpResponse<String> csv = browser.get(page + "/audit/export?action=endpoint.changed&form=csv");
    assertThat(csv.headers().firstValue("content-disposition"))
        .contains("attachment; filename=\"audit.csv\"");
    List<String> lines = csv.body().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).startsWith("at,actor,via,");
    assertThat(lines.get(1))
        .contains(",endpoint.changed,endpoint," + endpoint + ",\"{\"\"description\"\"");
    List<String> all = browser.get(page + "/audit/export?form=ndjson").body().lines().toList();
    assertThat(all).hasSizeGreaterThan(3);
    assertThat(new JsonObject(all.get(0)).getString("action")).isEqualTo("endpoint.changed");
    assertThat(browser.get(page + "/audit/export?form=xml").statusCode()).isEqualTo(400);
  }

  @Test
  void formErrorsAreShownBesideTheInput() {
    HttpResponse<String> blank =
        browser.submit(page + "/keys/new", page + "/keys", Map.of("name", " "));
    assertThat(blank.statusCode()).isEqualTo(400);
    assertThat(blank.body()).contains("role=\"alert\"", "name");

    HttpResponse<String> refused =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of("url", "https://10.0.0.1/<x>", "description", "inner"));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("role=\"alert\"", "value=\"https://10.0.0.1/&lt;x>\"", "value=\"inner\"");
  }

  @Test
  void errorsNameTheLabelAndStandAtTheField() {
    HttpResponse<String> refused =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of(
                "url", "https://example.com/hook",
                "description", "search",
                "standard_webhooks", "true",
                "max_per_second", "many",
                "headers", "Content-Length: withheld-value"));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("Maximum webhooks per second must", "Header Content-Length ")
        .contains("id=\"max_per_second-problem\"", "id=\"headers-problem\"")
        .contains("aria-describedby=\"max_per_second-problem\"", "value=\"many\"")
        .contains("value=\"search\"", "<details class=\"more\" open", "have to be typed again")
        .contains("<option value=\"true\" selected>also sign with the endpoint's secret")
        .doesNotContain("withheld-value", "max_per_second:", "headers.");

    HttpResponse<String> added =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of(
                "url", "https://example.com/hook",
                "max_per_second", "7",
                "headers", "x-tenant: acme\r\nx-region:eu:1\r\n",
                "token_url", "https://login.example.com/token",
                "client_id", "egress",
                "client_secret", "s3cret"));
    assertThat(added.body()).contains("Send a test", "Signing secret of");
    JsonObject endpoint = endpoints().getJsonObject(0);
    assertThat(endpoint.getInteger("max_per_second")).isEqualTo(7);
    assertThat(endpoint.getJsonArray("headers").encode()).isEqualTo("[\"x-region\",\"x-tenant\"]");
    assertThat(endpoint.getJsonObject("oauth2").getString("client_id")).isEqualTo("egress");

    String path = page + "/endpoints/" + endpoint.getString("id");
    assertThat(
            browser
                .submit(path, path + "/change", Map.of("url", "nowhere", "max_in_flight", "-1"))
                .body())
        .contains("value=\"nowhere\"", "id=\"url-problem\"", "id=\"max_in_flight-problem\"");
  }

  @Test
  void anotherReceiverHasToBeGivenItsSecretsAgain() {
    UUID endpoint = endpoint("one");
    String path = page + "/endpoints/" + endpoint;
    assertThat(browser.get(path).body()).doesNotContain("removes the custom headers");
    done(
        browser.submit(
            path,
            path + "/headers",
            Map.of("header_name", "x-tenant", "header_value", "acme-secret")));
    assertThat(browser.get(path).body()).contains("removes the custom headers");

    String changed =
        done(browser.submit(path, path + "/change", Map.of("url", "https://other.example/hook")));

    assertThat(changed).contains("Another receiver: its custom headers", "were removed");
    assertThat(endpoints().getJsonObject(0).getJsonArray("headers")).isEmpty();
    assertThat(browser.get(page + "/audit").body())
        .contains("the headers removed x-tenant")
        .doesNotContain("acme-secret");
  }

  @Test
  void resumingAnEndpointSendsWhatWasSkipped() {
    UUID endpoint = endpoint("one");
    UUID capture = capture("A talk");
    write(endpoint, capture, DeliveryState.SKIPPED, "");
    String path = page + "/endpoints/" + endpoint;
    done(browser.submit(path, path + "/pause", Map.of()));
    assertThat(browser.get(path).body()).contains("1 skipped").doesNotContain("again</button>");

    HttpResponse<String> resumed =
        browser.submit(path, path + "/resume", Map.of("catch_up", "true"));
    assertThat(done(resumed)).contains("Endpoint resumed", "Given up or skipped");
    assertThat(endpoints().getJsonObject(0).getBoolean("paused")).isFalse();
  }

  @Test
  void anEndpointIsAddedChangedPausedRotatedAndDeleted() {
    HttpResponse<String> added =
        browser.submit(
            page + "/endpoints/new",
            page + "/endpoints",
            Map.of(
                "url",
                "https://example.com/hook",
                "description",
                "search",
                "full_history",
                "true"));
    assertThat(added.statusCode()).isEqualTo(201);
    String secret = find(added, "(whsec_[A-Za-z0-9_-]{43})");
    assertThat(added.body()).contains(SigningSecrets.inStandardForm(secret));
    String id = endpoints().getJsonObject(0).getString("id");
    assertThat(endpoints().getJsonObject(0).getBoolean("full_history")).isTrue();
    String path = page + "/endpoints/" + id;
    assertThat(browser.get(path).body())
        .contains("https://example.com/hook")
        .doesNotContain(secret);

    done(
        browser.submit(
            path, path + "/change", Map.of("url", "https://example.com/other", "description", "")));
    assertThat(endpoints().getJsonObject(0).getString("url"))
        .isEqualTo("https://example.com/other");
    assertThat(endpoints().getJsonObject(0).getString("description")).isNull();

    done(
        browser.submit(
            path,
            path + "/change",
            Map.of(
                "url", "https://example.com/other", "max_per_second", "5", "max_in_flight", "")));
    assertThat(endpoints().getJsonObject(0).getInteger("max_per_second")).isEqualTo(5);
    assertThat(endpoints().getJsonObject(0).getBoolean("standard_webhooks")).isFalse();
    String standard =
        done(
            browser.submit(
                path,
                path + "/change",
                Map.of("url", "https://example.com/other", "standard_webhooks", "true")));
    assertThat(standard).contains("<option value=\"true\" selected>", " and webhook-signature<");
    assertThat(endpoints().getJsonObject(0).getBoolean("standard_webhooks")).isTrue();
    assertThat(endpoints().getJsonObject(0).getInteger("max_in_flight")).isNull();
    assertThat(
            browser
                .submit(
                    path,
                    path + "/change",
                    Map.of("url", "https://example.com/other", "max_in_flight", "many"))
                .body())
        .contains("role=\"alert\"", "max_in_flight");
    String own =
        done(
            browser.submit(
                path,
                path + "/headers",
                Map.of("header_name", "X-Tenant", "header_value", "never-shown-again")));
    assertThat(own).contains("x-tenant").doesNotContain("never-shown-again");
    assertThat(
            browser
                .submit(
                    path,
                    path + "/headers",
                    Map.of("header_name", "Host", "header_value", "evil.example"))
                .statusCode())
        .isEqualTo(400);
    done(
        browser.submit(
            path, path + "/headers", Map.of("header_name", "x-tenant", "remove", "true")));
    assertThat(endpoints().getJsonObject(0).getJsonArray("headers")).isEmpty();

    CertificateAuthority.Issued issued = new CertificateAuthority().issueFor();
    String certified =
        done(
            browser.submit(
                path,
                path + "/certificate",
                Map.of("certificate", issued.certificate(), "key", issued.key())));
    assertThat(certified).contains("CN=receiver, expires").doesNotContain("PRIVATE KEY-----\n");
    assertThat(
            browser
                .submit(path, path + "/certificate", Map.of("certificate", "a", "key", "b"))
                .body())
        .contains("role=\"alert\"", "the certificate cannot be read");
    done(browser.submit(path, path + "/certificate", Map.of("remove", "true")));
    assertThat(endpoints().getJsonObject(0).getValue("client_certificate")).isNull();

    assertThat(done(browser.submit(path, path + "/pause", Map.of()))).contains("Endpoint paused");
    assertThat(endpoints().getJsonObject(0).getBoolean("paused")).isTrue();
    done(browser.submit(path, path + "/resume", Map.of()));
    assertThat(endpoints().getJsonObject(0).getBoolean("paused")).isFalse();

    HttpResponse<String> rotated =
        browser.submit(path + "/rotate", path + "/rotate", Map.of("overlap", "1h"));
    assertThat(rotated.statusCode()).isEqualTo(201);
    assertThat(find(rotated, "(whsec_[A-Za-z0-9_-]{43})")).isNotEqualTo(secret);
    assertThat(
            browser
                .submit(path + "/rotate", path + "/rotate", Map.of("overlap", "1h"))
                .statusCode())
        .as("during the overlap")
        .isEqualTo(409);
    assertThat(browser.get(path + "/rotate").body()).contains("Replace both secrets at once");
    done(browser.submit(path, path + "/end-overlap", Map.of()));
    assertThat(endpoints().getJsonObject(0).getString("previous_secret_until")).isNull();

    assertThat(browser.get(path + "/delete").body()).contains("cannot be undone");
    done(browser.submit(path + "/delete", path + "/delete", Map.of()));
    assertThat(endpoints()).isEmpty();
    assertThat(browser.get(path).statusCode()).isEqualTo(404);

    String audit = browser.get(page + "/audit").body();
    assertThat(audit)
        .contains("endpoint.created", "endpoint.deleted", "ada", "by page", "127.0.0.1")
        .doesNotContain(secret);
  }

  @Test
  void deliveriesAreListedFilteredShownAndSentAgain() {
    UUID first = endpoint("one");
    endpoint("two");
    UUID capture = capture("A talk");
    write(first, capture, DeliveryState.EXHAUSTED, "{\"error\":\"no\"}");

    String list = browser.get(page + "/deliveries").body();
    assertThat(list).contains("A talk", "one", "two", "given up", ">not delivered yet</span>");
    assertThat(rows(list)).isEqualTo(2);
    assertThat(rows(browser.get(page + "/deliveries?state=exhausted&endpoint=&capture_id=").body()))
        .isEqualTo(1);
    assertThat(rows(browser.get(page + "/deliveries?endpoint=" + first).body())).isEqualTo(1);
    assertThat(rows(browser.get(page + "/deliveries?capture_id=" + capture).body())).isEqualTo(2);
    assertThat(browser.get(page + "/deliveries?state=delivered").body()).contains("No match");
    assertThat(browser.get(page + "/deliveries?state=lost").statusCode()).isEqualTo(400);
    assertThat(browser.get(page + "/deliveries?stat=lost").body())
        .contains("There is no filter “stat”; did you mean state?<");
    assertThat(browser.get(page + "/endpoints?q=one").body())
        .contains("There is no filter “q”; the known ones are search, only");
    assertThat(browser.get(page + "/deliveries?from=soon&capture_id=" + capture).body())
        .contains("This is not a time", "value=\"soon\"", "value=\"" + capture + "\"");
    assertThat(rows(browser.get(page + "/deliveries?to=2026-01-01T00:00").body())).isZero();
    assertThat(rows(browser.get(page + "/deliveries?from=2026-01-01T00:00").body())).isEqualTo(2);
    assertThat(browser.submit(page + "/keys", page + "/deliveries/redeliver", Map.of()).body())
        .contains("No delivery is selected");

    String path = page + "/deliveries/" + DeliveryId.of(first, capture);
    assertThat(browser.get(path).body())
        .contains(
            "A talk",
            "answered 500 Internal Server Error",
            "{\"error\":\"no\"}",
            "https://example.com/one");
    HttpResponse<String> redelivered = browser.submit(path, path + "/redeliver", Map.of());
    assertThat(location(redelivered)).doesNotContain(DeliveryId.of(first, capture).toString());
    assertThat(done(redelivered))
        .as("the new delivery, which is not published yet")
        .contains("sent again", "No attempts yet", "redelivery of", "A talk");
    HttpResponse<String> selected =
        browser.submit(
            page + "/deliveries",
            page + "/deliveries/redeliver?state=exhausted&endpoint=" + first,
            Map.of("id", DeliveryId.of(first, capture).toString()));
    assertThat(location(selected))
        .as("the same filter")
        .contains("state=exhausted", "endpoint=" + first, "done=");
    assertThat(
            service
                .query(
                    "select count(*) as n from backfills where origin = 'redelivery' and endpoint_id = '"
                        + first
                        + "' and created_by = 'ada'")
                .iterator()
                .next()
                .getLong("n"))
        .isEqualTo(2);
  }

  @Test
  void aCapturesPageSaysWhoHasIt() {
    UUID endpoint = endpoint("one");
    UUID capture = capture("A talk");
    String shown = page + "/captures/" + capture;
    assertThat(browser.get(shown).body())
        .as("it was owed to the endpoint")
        .contains("Who has it", "possibly");
    write(endpoint, capture, DeliveryState.DELIVERED, "yes");
    service.pull("/api/v1/captures", service.mintKey(workspace));

    assertThat(browser.get(shown).body()).contains(">test</bdi>").doesNotContain("possibly");

    service.internal(
        "DELETE", "/internal/v1/captures/" + capture, new JsonObject().put("reason", "a request"));
    assertThat(browser.get(shown).body())
        .contains("2 that may have it have not been told that it was erased");
  }

  @Test
  void allThatMatchIsSentAgainAcrossEndpoints() {
    UUID first = endpoint("one");
    UUID second = endpoint("two");
    UUID capture = capture("A talk");
    write(first, capture, DeliveryState.EXHAUSTED, "no");
    write(second, capture, DeliveryState.EXHAUSTED, "no");
    assertThat(browser.get(page + "/deliveries").body()).doesNotContain("id=\"send-all\"");
    assertThat(browser.get(page + "/deliveries?state=exhausted&outcome=status").body())
        .as("a replay cannot be of an outcome")
        .doesNotContain("id=\"send-all\"");
    String filtered = page + "/deliveries?state=exhausted&from=2026-01-01T00:00";
    assertThat(browser.get(filtered).body()).contains("id=\"send-all\"");
    String confirmation =
        find(browser.get(filtered).body(), "href=\"([^\"]+)\" id=\"send-all\"")
            .replace("&amp;", "&");
    assertThat(browser.get(confirmation).body())
        .contains(
            "2 deliveries to 2 endpoints",
            "from 2026-01-01 00:00:00 UTC on",
            "name=\"from\" value=\"2026-01-01T00:00:00Z\"",
            ">Send 2 deliveries again</button>",
            "href=\"" + page + "/deliveries?state=exhausted&amp;from=2026-01-01T00%3A00&amp;\"");
    assertThat(browser.get(page + "/replays/start-all?from=2096-01-01T00:00").body())
        .contains("Nothing is left to send again.")
        .doesNotContain("<button class=\"primary\"");
    assertThat(browser.get(page + "/replays/start-all?from=soon").statusCode()).isEqualTo(400);

    done(
        browser.submit(
            confirmation, page + "/replays", Map.of("from", "2026-01-01T00:00:00Z", "to", "")));

    assertThat(
            service
                .query(
                    "select endpoint_id from backfills where only_undelivered and created_by = 'ada'"
                        + " and endpoint_id in ('%s', '%s')".formatted(first, second))
                .size())
        .isEqualTo(2);
  }

  @Test
  void anAdminSeesTheRetentionAndErasesNothingOnLegalHold() {
    endpoint("one");
    UUID capture = capture("A talk");
    assertThat(browser.get(page + "/").body()).contains("Captures are kept", "for good");
    service.internal(
        "PATCH", api, new JsonObject().put("retention", "30d").put("legal_hold", true));

    assertThat(browser.get(page + "/").body()).contains("30 d", "On legal hold");
    assertThat(browser.get(page + "/captures/" + capture).body())
        .contains("id=\"held\"")
        .doesNotContain("Erase this capture");
    service.internal("PATCH", api, new JsonObject().put("legal_hold", false));
    assertThat(browser.get(page + "/captures/" + capture).body()).contains("Erase this capture");
  }

  @Test
  void aPageProvesThatNothingIsMissing() {
    UUID endpoint = endpoint("one");
    UUID delivered = capture("A talk");
    UUID failed = capture("Another");
    write(endpoint, delivered, DeliveryState.DELIVERED, "");
    String path = page + "/endpoints/" + endpoint;
    assertThat(browser.get(path).body()).contains(path + "/verification");

    assertThat(browser.get(path + "/verification").body())
        .contains(
            "Nothing is missing. 1 is not delivered yet.",
            "<dt>Not delivered yet</dt><dd>1</dd>",
            "from position 1 to 2");
    write(endpoint, failed, DeliveryState.EXHAUSTED, "");
    assertThat(browser.get(path + "/verification").body())
        .contains("Nothing is missing. 1 was given up or skipped");
    assertThat(browser.get(path + "/verification?from_position=0").statusCode()).isEqualTo(400);
    assertThat(browser.get(page + "/endpoints/" + UUID.randomUUID() + "/verification").statusCode())
        .isEqualTo(404);
  }

  @Test
  void whatAllEndpointsMissedIsSentAgainAtOnce() {
    UUID one = endpoint("one");
    UUID two = endpoint("two");
    UUID capture = capture("A talk");
    write(one, capture, DeliveryState.EXHAUSTED, "{}");
    assertThat(browser.get(page + "/").body()).doesNotContain("id=\"catch-up\"");
    write(two, capture, DeliveryState.EXHAUSTED, "{}");
    assertThat(browser.get(page + "/").body())
        .contains("href=\"" + page + "/replays/start-all\" id=\"catch-up\"");

    String confirmation = page + "/replays/start-all";
    assertThat(browser.get(confirmation).body())
        .contains("2 deliveries to 2 endpoints were given up or skipped");
    HttpResponse<String> started = browser.submit(confirmation, page + "/replays", Map.of());

    assertThat(done(started)).contains("to each endpoint", ">one<", ">two<");
  }

  @Test
  void whatIsSentAgainIsCountedAsItIsSent() {
    UUID one = endpoint("one");
    UUID paused = endpoint("paused");
    UUID fine = endpoint("fine");
    UUID first = capture("A talk");
    UUID second = capture("Another");
    for (UUID endpoint : List.of(one, paused)) {
      write(endpoint, first, DeliveryState.EXHAUSTED, "{}");
      write(endpoint, second, DeliveryState.SKIPPED, "{}");
    }
    write(fine, first, DeliveryState.DELIVERED, "{}");
    service.query("update endpoints set paused = true where id = '" + paused + "'");

    assertThat(browser.get(page + "/replays/start-all").body())
        .contains(
            "2 deliveries to 1 endpoint were given up or skipped", "Paused endpoints are left out");
    service.internal(
        "DELETE", "/internal/v1/captures/" + first, new JsonObject().put("reason", "a request"));
    assertThat(browser.get(page + "/replays/start-all").body())
        .contains("1 delivery to 1 endpoint was given up or skipped", "Send 1 delivery again");
  }

  @Test
  void onePageProvesThatNothingIsMissingAtAnyEndpoint() {
    UUID one = endpoint("one");
    UUID two = endpoint("two");
    UUID capture = capture("A talk");
    assertThat(browser.get(page + "/").body()).contains("href=\"" + page + "/verification\"");
    String path = page + "/verification";

    write(one, capture, DeliveryState.DELIVERED, "");
    assertThat(browser.get(path).body())
        .contains("Nothing is missing. 1 is not delivered yet.", ">one</bdi>", ">two</bdi>");
    write(two, capture, DeliveryState.DELIVERED, "");
    assertThat(browser.get(path).body())
        .contains("Nothing is missing: everything is delivered.", "2 endpoints");
    UUID failed = capture("Another");
    write(one, failed, DeliveryState.EXHAUSTED, "");
    write(two, failed, DeliveryState.DELIVERED, "");
    assertThat(browser.get(path).body())
        .contains(
            "Nothing is missing. 1 was given up or skipped",
            "href=\"" + page + "/endpoints/" + one + "/verification\"");

    assertThat(browser.get(path + "?endpoint=" + two).body())
        .as("the part that begins with an endpoint")
        .contains("Nothing is missing: everything is delivered.", ">two</bdi>")
        .doesNotContain(">one</bdi>");
    assertThat(browser.get(path + "?endpoint=" + UUID.randomUUID()).statusCode()).isEqualTo(404);
    assertThat(browser.get(path + "?endpoint=two").statusCode()).isEqualTo(400);
  }

  @Test
  void aWorkspaceWithoutEndpointsHasNothingToProve() {
    assertThat(browser.get(page + "/verification").body())
        .contains("There are no endpoints, so no delivery is owed.");
  }

  @Test
  void equalFailuresOfManyEndpointsAreOneGroup() {
    List<UUID> endpoints = List.of(endpoint("one"), endpoint("two"), endpoint("three"));
    UUID capture = capture("A talk");
    write(endpoints.get(0), capture, DeliveryState.EXHAUSTED, "{}");
    write(endpoints.get(1), capture, DeliveryState.EXHAUSTED, "{}");
    assertThat(browser.get(page + "/").body()).doesNotContain("They may share a cause");
    write(endpoints.get(2), capture, DeliveryState.EXHAUSTED, "{}");

    assertThat(browser.get(page + "/").body())
        .contains(
            "3 endpoints: answered 500 Internal Server Error.",
            "They may share a cause",
            "Last 24 hours, all endpoints",
            "aria-label=\"Last 24 hours: 3 given up\"");
  }

  @Test
  void anEndpointsPageSaysWhyItFailsAndBeginsWithItsNewestAttempts() {
    UUID endpoint = endpoint("one");
    UUID capture = capture("A talk");
    write(endpoint, capture, DeliveryState.EXHAUSTED, "{}");

    assertThat(browser.get(page + "/endpoints/" + endpoint).body())
        .containsSubsequence(
            "Answered 500 Internal Server Error, ",
            "its log says why",
            "Newest attempts",
            "answered 500 Internal Server Error",
            page + "/deliveries/" + DeliveryId.of(endpoint, capture),
            "Last 24 hours",
            "How long attempts took",
            "median (p50): less than 16 ms",
            "99th percentile (p99): less than 16 ms",
            "By the hour");
    assertThat(browser.get(page + "/endpoints/" + endpoint("two")).body())
        .doesNotContain("How long attempts took");
    assertThat(browser.get(page + "/").body()).contains(">answered 500 Internal Server Error<");
    assertThat(browser.get(page + "/endpoints").body())
        .contains(">answered 500 Internal Server Error<", "Not delivered", "Send again");
  }

  @Test
  void theDeliveriesOfACaptureToAnEndpointAreOneRow() {
    UUID endpoint = endpoint("one");
    endpoint("two");
    UUID capture = capture("A talk");
    String path = page + "/captures/" + capture;
    String delivery = page + "/deliveries/" + DeliveryId.of(endpoint, capture);
    write(endpoint, capture, DeliveryState.EXHAUSTED, "{}");
    assertThat(browser.get(path).body()).contains("given up").doesNotContain("the newest of");
    List<LogEntry> again =
        IntStream.rangeClosed(1, 60)
            .mapToObj(i ->
                Delivery.replayed(
                    UUID.randomUUID(),
                    endpoint,
                    capture,
                    1,
                    Delivery.Origin.REDELIVERY,
                    Instant.now().plusSeconds(i)))
            .map(LogEntry::owed)
            .toList();
    Service.await(new DeliveryLog(service.database, DAYS).write(again));

    String shown = browser.get(path).body();
    assertThat(rows(shown)).isEqualTo(2);
    assertThat(shown)
        .contains(
            "capture_id=" + capture + "&amp;endpoint=" + endpoint,
            "61 deliveries</a>, none delivered",
            "redelivery",
            "<dt><abbr title=\"The place of a capture in the order")
        .doesNotContain("All deliveries of this capture");
    for (String of : List.of(delivery, page + "/deliveries")) {
      assertThat(browser.get(of).body()).contains("<abbr title=\"The service owes a delivery from");
    }
  }

  @Test
  void aCaptureIsErasedForGoodAndWithAReason() {
    UUID endpoint = endpoint("one");
    UUID capture = capture("A private talk");
    write(endpoint, capture, DeliveryState.EXHAUSTED, "echo: A private talk");
    String path = page + "/captures/" + capture;
    assertThat(browser.get(page + "/deliveries/" + DeliveryId.of(endpoint, capture)).body())
        .contains("href=\"" + path + "\"", "echo: A private talk");
    assertThat(browser.get(path).body())
        .contains("A private talk", "in the stream", "given up", "href=\"" + path + "/erase\"");
    Browser viewer = Browser.at(service, workspace, "view");
    assertThat(viewer.get(path).body()).contains("A private talk").doesNotContain("/erase\"");

    String form = browser.get(path + "/erase").body();
    assertThat(form).contains(">A private talk</bdi>", "cannot be undone", "does not reach copies");
    HttpResponse<String> blank =
        browser.submit(path + "/erase", path + "/erase", Map.of("reason", " "));
    assertThat(blank.statusCode()).isEqualTo(400);
    assertThat(blank.body()).contains("id=\"reason-problem\"", "Reason must");

    service.internal("PATCH", api, "{\"legal_hold\":true}");
    HttpResponse<String> held =
        browser.submit(path + "/erase", path + "/erase", Map.of("reason", "on request"));
    assertThat(held.statusCode()).isEqualTo(409);
    assertThat(held.body())
        .contains(
            "role=\"alert\">The workspace is on legal hold: nothing of it is erased.<",
            "value=\"on request\"");
    service.internal("PATCH", api, "{\"legal_hold\":false}");

    assertThat(
            done(browser.submit(path + "/erase", path + "/erase", Map.of("reason", "on request"))))
        .contains("Capture erased", "by <bdi>ada</bdi>", "on request")
        .doesNotContain("A private talk", "Erase this capture");
    assertThat(browser.get(page + "/deliveries/" + DeliveryId.of(endpoint, capture)).body())
        .doesNotContain("A private talk");
    assertThat(browser.get(path + "/erase").body()).contains("was erased at");
    assertThat(service.pull("/api/v1/captures/" + capture, service.mintKey(workspace)).statusCode())
        .isEqualTo(410);
    assertThat(browser.get(page + "/audit?action=capture.erased").body())
        .contains("Erased a capture. Reason: on request.", "ada", ">Address</th>");
  }

  @Test
  void aWorkspaceWithManyEndpointsIsSearchedInsteadOfListed() {
    String insert =
        """
        insert into endpoints (id, workspace_id, spec, secret, created_position, full_history)
        select gen_random_uuid(), '%s', jsonb_build_object('url', 'https://example.com/' || n, 'description', 'Receiver ' || n), '', 0, false
        from generate_series(1, 120) as n\
        """
            .formatted(workspace);
    service.query(insert);

    String list = browser.get(page + "/endpoints").body();
    assertThat(list).contains("120 endpoints in all", "name=\"search\"");
    String found = browser.get(page + "/endpoints?search=receiver%2011").body();
    assertThat(found).contains("Receiver 11<", "Receiver 119<").doesNotContain("Receiver 12<");
    assertThat(browser.get(page + "/endpoints?search=RECEIVER&page=2").body())
        .contains("search=RECEIVER&amp;page=3");
    assertThat(browser.get(page + "/endpoints?search=nobody").body())
        .contains("No matching endpoints");

    String deliveries = browser.get(page + "/deliveries").body();
    assertThat(deliveries)
        .contains("Endpoint id", "Of one of 120")
        .doesNotContain("<option value=\"\">All endpoints");
    String id = endpoints().getJsonObject(7).getString("id");
    assertThat(browser.get(page + "/deliveries?endpoint=" + id).body())
        .contains("value=\"" + id + "\"", endpoints().getJsonObject(7).getString("description"));
    assertThat(browser.get(page + "/deliveries?endpoint=x").body())
        .contains("id=\"endpoint-problem\"");
  }

  @Test
  void anUnchangedFragmentIsNotSentAgain() {
    endpoint("one");
    capture("A talk");
    for (String of : List.of("/", "/deliveries", "/replays")) {
      String live =
          find(browser.get(page + of).body(), "id=\"live\" hx-get=\"([^\"]+)\"")
              .replace("&amp;", "&");
      assertThat(browser.get(live).statusCode()).as(live).isEqualTo(204);
    }
    String live = find(browser.get(page + "/deliveries").body(), "id=\"live\" hx-get=\"([^\"]+)\"");
    capture("Another talk");

    HttpResponse<String> changed = browser.get(live);
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.body()).contains("Another talk").doesNotContain("<html");
  }

  @Test
  void listsContinueOnTheNextPage() {
    endpoint("one");
    for (int i = 0; i < 55; i++) {
      service.put(UUID.randomUUID(), Service.capture(workspace).put("title", "Talk " + i));
    }
    await().until(() -> browser.get(page + "/").body().contains("<dd>55</dd>"));

    String first = browser.get(page + "/deliveries").body();
    String older = find(first, "href=\"([^\"]+)\" rel=\"next\"").replace("&amp;", "&");
    String second = browser.get(older).body();

    assertThat(rows(first) + rows(second)).isEqualTo(55);
    assertThat(second).doesNotContain("rel=\"next\"").doesNotContain("id=\"live\" hx-get=\"");
  }

  @Test
  void replaysAreStartedShownAndCanceled() {
    UUID endpoint = endpoint("one");
    capture("A talk");
    String path = page + "/endpoints/" + endpoint + "/replay";
    assertThat(browser.submit(path, path, Map.of("what", "all")).body())
        .contains(
            "role=\"alert\"", "Set Since, From or From position, or send only what was given up.");

    HttpResponse<String> started =
        browser.submit(path, path, Map.of("what", "all", "from", "2026-01-01T00:00"));
    assertThat(started.statusCode()).isEqualTo(303);
    String replay = location(started);
    assertThat(browser.get(replay).body())
        .contains("Replay started", "0 of 1 captures", "running", "by ada");
    assertThat(browser.get(page + "/replays").body()).contains("Everything", "running");
    service.query("update endpoints set paused = true where id = '" + endpoint + "'");
    assertThat(browser.get(path).body()).contains("The endpoint is paused");
    assertThat(browser.get(replay).body()).contains("waiting", "until the endpoint is resumed");
    assertThat(browser.get(page + "/replays").body())
        .contains(">waiting<")
        .doesNotContain(">running<");

    String cancel = replay.replaceFirst("\\?.*", "") + "/cancel";
    assertThat(done(browser.submit(replay, cancel, Map.of()))).contains("canceled");
    assertThat(browser.get(page + "/replays").body()).contains("canceled");
    service.query(
        "update backfills set cancelled_at = null where endpoint_id = '" + endpoint + "'");
    assertThat(browser.get(replay).body()).contains("finished").doesNotContain("Cancel replay");
    assertThat(browser.submit(page + "/keys", cancel, Map.of()).body())
        .contains("nothing is left to cancel");
  }

  @Test
  void aReplaySinceYesterdayNeedsNoTypedDate() {
    UUID endpoint = endpoint("one");
    capture("A talk");
    String path = page + "/endpoints/" + endpoint + "/replay";
    assertThat(browser.get(path).body())
        .contains(">an hour ago</option>", ">yesterday, 00:00</option>", ">7 days ago</option>");

    for (String since : List.of("hour", "yesterday", "week")) {
      HttpResponse<String> started =
          browser.submit(path, path, Map.of("what", "all", "since", since));
      assertThat(started.statusCode()).as(since).isEqualTo(303);
      assertThat(browser.get(location(started)).body()).contains("Everything", "0 of 1 captures");
    }
    assertThat(
            browser
                .submit(
                    path, path, Map.of("what", "all", "since", "hour", "from", "2026-01-01T00:00"))
                .body())
        .contains("role=\"alert\"", "Choose Since, From or From position, not several of them.")
        .contains("<option value=\"hour\" selected>", "value=\"2026-01-01T00:00\"");
    assertThat(browser.submit(path, path, Map.of("what", "all", "since", "2h")).body())
        .contains("role=\"alert\"");
  }

  @Test
  void foreignTextIsNeverMarkup() {
    Browser named = new Browser(service);
    named.open(Browser.token(Browser.link(service, workspace, "admin", HOSTILE)));
    service.internal("POST", api + "/api-keys", new JsonObject().put("name", HOSTILE));
    UUID endpoint =
        UUID.fromString(
            new JsonObject(
                    service
                        .internal(
                            "POST",
                            api + "/endpoints",
                            new JsonObject()
                                .put("url", "https://example.com/?q='&x=%22%3E%3Cscript%3E")
                                .put("description", HOSTILE))
                        .body())
                .getString("id"));
    UUID capture = UUID.randomUUID();
    JsonObject member =
        new JsonObject().put("id", UUID.randomUUID().toString()).put("name", HOSTILE);
    service.put(
        capture,
        Service.capture(workspace)
            .put("title", HOSTILE)
            .put("device", new JsonObject().put("id", workspace.toString()).put("name", HOSTILE))
            .put(
                "participants",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("label", "S1")
                            .put("member", member)
                            .put("speech_ms", 1))));
    await()
        .until(() -> service.internal("GET", api + "/deliveries", "").body().contains("pending"));
    write(endpoint, capture, DeliveryState.EXHAUSTED, HOSTILE);
    String replayForm = page + "/endpoints/" + endpoint + "/replay";
    String replay = location(named.submit(replayForm, replayForm, Map.of("what", "undelivered")));

    for (String path :
        List.of(
            page + "/",
            page + "/keys",
            page + "/endpoints",
            page + "/endpoints/" + endpoint,
            page + "/endpoints/" + endpoint + "/rotate",
            page + "/endpoints/" + endpoint + "/delete",
            replayForm,
            page + "/deliveries?capture_id=" + capture,
            page + "/deliveries/" + DeliveryId.of(endpoint, capture),
            page + "/captures/" + capture,
            page + "/captures/" + capture + "/erase",
            page + "/replays",
            replay,
            page + "/audit",
            page + "/deliveries?done=" + "%3Cscript%3Ealert(1)%3C/script%3E")) {
      HttpResponse<String> shown = named.get(path);
      assertThat(shown.statusCode()).as(path).isEqualTo(200);
      assertThat(shown.body())
          .as(path)
          .contains("&lt;script&gt;alert(1)")
          .doesNotContain("<script>alert")
          .doesNotContain("<img");
    }
    String detail = named.get(page + "/deliveries/" + DeliveryId.of(endpoint, capture)).body();
    assertThat(detail.split("&lt;script&gt;alert\\(1\\)", -1).length - 1)
        .as("actor, endpoint, title, device, member and answer")
        .isGreaterThanOrEqualTo(6);
    assertThat(named.get("/portal/open?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").body())
        .doesNotContain("<script>alert");
  }

  private JsonArray endpoints() {
    return new JsonObject(service.internal("GET", api + "/endpoints", "").body())
        .getJsonArray("endpoints");
  }

  private UUID endpoint(String name) {
    return UUID.fromString(
        new JsonObject(
                service
                    .internal(
                        "POST",
                        api + "/endpoints",
                        new JsonObject()
                            .put("url", "https://example.com/" + name)
                            .put("description", name))
                    .body())
            .getString("id"));
  }

  private UUID capture(String title) {
    UUID id = UUID.randomUUID();
    service.put(id, Service.capture(workspace).put("title", title));
    await()
        .until(() ->
            service
                .internal("GET", api + "/deliveries?capture_id=" + id, "")
                .body()
                .contains("pending"));
    return id;
  }

  private void write(UUID endpoint, UUID capture, DeliveryState state, String answer) {
    var row =
        service
            .query("select position, entered_at from stream where capture_id = '" + capture + "'")
            .iterator()
            .next();
    Delivery delivery =
        Delivery.first(
            DeliveryId.of(endpoint, capture),
            endpoint,
            capture,
            row.getLong("position"),
            Delivery.Origin.LIVE,
            row.getOffsetDateTime("entered_at").toInstant());
    MadeAttempt attempt =
        new MadeAttempt(
            Instant.now(),
            Duration.ofMillis(12),
            "status",
            500,
            null,
            null,
            new Exchanged(null, "", Buffer.buffer(answer)));
    Service.await(
        new DeliveryLog(service.database, DAYS)
            .write(List.of(new LogEntry(delivery, state, attempt, null))));
  }

  private void writeSent(UUID endpoint, UUID capture, int attempts, DeliveryState state) {
    var row =
        service
            .query(
                "select s.position, s.entered_at, c.revision from stream s join captures c on c.id = s.capture_id where c.id = '"
                    + capture
                    + "'")
            .iterator()
            .next();
    Delivery delivery =
        Delivery.first(
            DeliveryId.of(endpoint, capture),
            endpoint,
            capture,
            row.getLong("position"),
            Delivery.Origin.LIVE,
            row.getOffsetDateTime("entered_at").toInstant());
    for (int i = 1; i <= attempts; i++) {
      MadeAttempt attempt =
          new MadeAttempt(
              Instant.now(),
              Duration.ofMillis(12),
              "status",
              i < attempts ? 503 : 500,
              null,
              row.getLong("revision"),
              new Exchanged(
                  new SentRequest("t=1,v1=aa", "user-agent: a'b\nx-token", 7, 1),
                  "server: nginx",
                  Buffer.buffer("no")));
      Service.await(
          new DeliveryLog(service.database, DAYS)
              .write(List.of(new LogEntry(delivery, state, attempt, null))));
      delivery = delivery.next(Instant.now());
    }
  }

  /** The page that follows a form that was taken. */
  private String done(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    HttpResponse<String> next = browser.get(location(answer));
    assertThat(next.statusCode()).isEqualTo(200);
    return next.body();
  }

  private static String location(HttpResponse<String> answer) {
    return answer.headers().firstValue("location").orElseThrow();
  }

  private static int rows(String html) {
    return html.split("id=\"delivery-", -1).length - 1;
  }

  private static String find(HttpResponse<String> answer, String pattern) {
    return find(answer.body(), pattern);
  }

  private static String find(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return found.group(1);
  }
}
