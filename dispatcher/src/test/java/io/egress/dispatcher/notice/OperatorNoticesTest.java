package io.egress.dispatcher.notice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers.Behaviour;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.Paging;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;

/** What the operator's webhook gets. */
@Execution(ExecutionMode.CONCURRENT)
class OperatorNoticesTest {
  private static final String SECRET = "operator-secret";
  private static final Behaviour FAILING =
      (request, _) -> request.response().setStatusCode(503).end();

  /** Ten attempts in nine seconds: tests put failing_since back instead of waiting. */
  private static final Map<String, String> QUICKLY_EXHAUSTED =
      Map.of("EGRESS_RETRY_SCHEDULE", "1s,1s,1s,1s,1s,1s,1s,1s,1s");

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet = new Fleet(QUICKLY_EXHAUSTED);
  private final Logger log = (Logger) LoggerFactory.getLogger(NoticeSender.class);
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private final Queue<Notice> notices = new ConcurrentLinkedQueue<>();
  private volatile boolean accepts = true;
  private Map<String, String> operator = Map.of();

  private record Notice(String id, String event, String signature, Buffer body) {
    JsonObject data() {
      return body.toJsonObject().getJsonObject("data");
    }
  }

  @BeforeEach
  void listen() {
    told.list = new CopyOnWriteArrayList<>();
    told.start();
    log.addAppender(told);
    HttpServer server =
        Fleet.await(
            fleet.vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
    operator =
        Map.of(
            "EGRESS_OPERATOR_WEBHOOK_URL",
            "http://127.0.0.1:" + server.actualPort() + "/notices",
            "EGRESS_OPERATOR_WEBHOOK_SECRET",
            SECRET,
            "EGRESS_PORTAL_URL",
            "https://egress.example.com");
  }

  @AfterEach
  void close() {
    log.detachAppender(told);
    fleet.close();
  }

  private void receive(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> {
          notices.add(
              new Notice(
                  request.getHeader("x-service-delivery"),
                  request.getHeader("x-service-event"),
                  request.getHeader("x-service-signature"),
                  body));
          request.response().setStatusCode(accepts ? 204 : 500).end();
        });
  }

  @Test
  void tellOnceInASeriesOfFailures() throws Exception {
    fleet.receivers.behave("crm", FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher(operator);
    fleet.captures(workspace, 2);
    await().until(() -> fleet.count("endpoints where failing_since is not null") == 1);
    assertThat(notices).as("it has not failed for long").isEmpty();
    failFor("6 minutes");

    Notice failing = awaitNotice("endpoint.failing");
    Notice exhausted = awaitNotice("endpoint.exhausted");

    JsonObject data = failing.data();
    assertThat(data.getString("workspace_id")).isEqualTo(workspace.toString());
    assertThat(data.getString("endpoint_id")).isEqualTo(endpoint.id().toString());
    assertThat(data.getString("url")).endsWith("/crm");
    assertThat(data.getString("page"))
        .isEqualTo(
            "https://egress.example.com/portal/" + workspace + "/endpoints/" + endpoint.id());
    assertThat(data.getString("operator_page"))
        .isEqualTo(
            "https://egress.example.com/portal/operator/"
                + workspace
                + "/endpoints/"
                + endpoint.id());
    assertThat(data.getString("failing_since")).isNotNull();
    assertThat(data.getLong("retrying")).isEqualTo(2);
    assertThat(data.getJsonObject("last_answer").getInteger("status")).isEqualTo(503);
    assertThat(exhausted.data().getLong("exhausted")).isBetween(1L, 2L);
    assertThat(exhausted.data().getJsonObject("last_answer").getString("outcome"))
        .isEqualTo("status");
    for (Notice notice : List.of(failing, exhausted)) {
      assertThat(notice.signature()).isEqualTo(signature(notice));
      assertThat(notice.body().toJsonObject().getString("delivery_id")).isEqualTo(notice.id());
      assertThat(notice.body().toJsonObject().getString("event")).isEqualTo(notice.event());
    }

    await().until(() -> fleet.count("deliveries where state = 'exhausted'") == 2);
    fleet.receivers.behave("crm", (request, _) -> request.response().end());
    fleet.captures(workspace, 1);

    Notice recovered = awaitNotice("endpoint.recovered");
    assertThat(recovered.data().getString("failing_since"))
        .isEqualTo(data.getString("failing_since"));
    assertThat(recovered.data().getString("recovered_at")).isNotNull();
    assertThat(recovered.data().containsKey("last_answer")).isFalse();
    await().until(() -> fleet.count("operator_notices") == 0);
    assertThat(notices).extracting(Notice::event).doesNotHaveDuplicates();
  }

  @Test
  void tellOfAPauseUntilItIsAccepted() throws Exception {
    accepts = false;
    fleet.receivers.behave("crm", FAILING);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    failFor("6 days");
    fleet.dispatcher(and(operator, Map.of("EGRESS_PAUSE_FAILING_AFTER", "5d")));
    fleet.captures(workspace, 1);

    Notice first = awaitNotice("endpoint.paused");
    accepts = true;
    await()
        .until(() -> notices.stream().filter(notice -> notice.id().equals(first.id())).count() > 1);

    assertThat(first.data().getString("endpoint_id")).isEqualTo(endpoint.id().toString());
    assertThat(first.data().getString("reason")).isEqualTo("failing");
    assertThat(first.data().getString("paused_at")).isNotNull();
    assertThat(first.signature()).isEqualTo(signature(first));
    await().until(() -> fleet.count("operator_notices") == 0);
    assertThat(told.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anySatisfy(line ->
            assertThat(line).contains("does not accept notices; retrying: ", "answered 500"));
  }

  @Test
  void nameTheCaptureThatHoldsAnEndpoint() {
    fleet.receivers.behave("pages", (request, _) -> request.response().setStatusCode(422).end());
    fleet.endpoint(
        workspace,
        NewEndpoint.stream(
            EndpointSpec.of(fleet.receivers.url("pages")), false, Paging.Wanted.DEFAULT));
    fleet.dispatcher(operator);
    UUID capture = fleet.captures(workspace, 1).getFirst();
    await().until(() -> fleet.count("turns where held_capture is not null") == 1);
    failFor("6 minutes");

    Notice failing = awaitNotice("endpoint.failing");

    assertThat(failing.data().getString("held_capture_id")).isEqualTo(capture.toString());
    assertThat(failing.data().getJsonObject("last_answer").getInteger("status")).isEqualTo(422);
  }

  @Test
  @Tag("full")
  void outliveTheDispatcher() {
    accepts = false;
    DispatcherApp before = fleet.dispatcher(operator);
    await().until(() -> fleet.count("queue") == 1);
    fleet.stop(before);
    fleet.query("update queue set cluster_id = 'another'");
    DispatcherApp finds = fleet.dispatcher(operator);
    Notice lost = awaitNotice("queue.lost");
    assertThat(lost.data().getJsonArray("findings")).isNotEmpty();
    fleet.stop(finds);

    accepts = true;
    int known = notices.size();
    fleet.dispatcher(operator);

    await().until(() -> fleet.count("operator_notices") == 0);
    assertThat(notices).hasSizeGreaterThan(known);
    assertThat(notices).extracting(Notice::id).containsOnly(lost.id());
  }

  @Test
  void areDroppedAtTheEndOfTheSchedule() {
    accepts = false;
    fleet.dispatcher(operator);
    fleet.query(
        "insert into operator_notices (event, data, attempts) values ('endpoint.paused', '{}', 9)");

    awaitNotice("endpoint.paused");

    await().until(() -> fleet.count("operator_notices") == 0);
    assertThat(notices).hasSize(1);
  }

  @Test
  @Tag("full")
  void areNotStoredUnlessTheyAreWanted() {
    fleet.receivers.behave("crm", FAILING);
    fleet.endpoint(workspace, "crm");
    failFor("6 minutes");
    fleet.dispatcher();
    fleet.captures(workspace, 1);

    await().until(() -> fleet.count("deliveries where state = 'exhausted'") == 1);

    assertThat(fleet.count("operator_notices")).isZero();
    assertThat(fleet.count("endpoints where failing_announced is not null")).isZero();
  }

  private void failFor(String interval) {
    fleet.query("update endpoints set failing_since = now() - interval '" + interval + "'");
  }

  private Notice awaitNotice(String event) {
    await().until(() -> notices.stream().anyMatch(notice -> notice.event().equals(event)));
    return notices.stream()
        .filter(notice -> notice.event().equals(event))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> and(Map<String, String> some, Map<String, String> others) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(others);
    return all;
  }

  private static String signature(Notice notice) throws Exception {
    String time = notice.signature().substring(2, notice.signature().indexOf(','));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
    mac.update((time + ".").getBytes(UTF_8));
    return "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(notice.body().getBytes()));
  }
}
