package io.egress.dispatcher.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.OAuth2Client;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.sqlclient.Row;
import java.net.URLEncoder;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deliveries carry access tokens, and wait for their token server alone. */
@Execution(ExecutionMode.CONCURRENT)
class AccessTokensTest {

  private final Fleet fleet = new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,1s"));
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void oneTokenServesManyDeliveries() {
    fleet.receivers.behave(
        "login",
        (request, _) -> request.response().end("{\"access_token\":\"abc\",\"expires_in\":600}"));
    endpoint("login");
    fleet.dispatcher();

    fleet.captures(workspace, 30);

    await().until(() -> fleet.count("deliveries where state = 'delivered' and attempts = 1") == 30);
    assertThat(fleet.receivers.arrivals("crm"))
        .hasSize(30)
        .allMatch(arrival -> arrival.headers().get("authorization").equals("Bearer abc"));
  }

  @Test
  void aFailedRequestForATokenIsRetriedWithTheDelivery() {
    AtomicBoolean isBroken = new AtomicBoolean(true);
    fleet.receivers.behave(
        "login",
        (request, _) ->
            request
                .response()
                .setStatusCode(isBroken.get() ? 503 : 200)
                .end(isBroken.get() ? "no tokens today" : "{\"access_token\":\"abc\"}"));
    endpoint("login");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> fleet.count("attempts") == 1);
    isBroken.set(false);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    Row first =
        fleet
            .query(
                "select outcome, status, detail, signature, convert_from(answer, 'UTF8') as answer from attempts order by started_at limit 1")
            .iterator()
            .next();
    assertThat(first.getString("outcome")).isEqualTo("token");
    assertThat(first.getInteger("status")).isNull();
    assertThat(first.getString("detail")).isEqualTo("the token server: answered 503");
    assertThat(first.getString("answer")).isEqualTo("no tokens today");
    assertThat(first.getString("signature")).as("nothing was sent").isNull();
  }

  /** A receiver that shows what it got, as many do while they are set up. */
  @Test
  void whatAReceiverRepeatsOfItsSecretsIsNotStored() {
    fleet.receivers.behave(
        "login",
        (request, _) ->
            request.response().end("{\"access_token\":\"abc-token\",\"expires_in\":600}"));
    fleet.receivers.behave(
        "crm",
        (request, nth) -> {
          String headers = request.headers().toString();
          request
              .response()
              .setStatusCode(nth == 1 ? 400 : 200)
              .putHeader("x-echo", request.getHeader("x-api-secret"))
              .end("got " + headers + URLEncoder.encode(headers, UTF_8));
        });
    fleet.endpoint(
        workspace,
        new NewEndpoint(
            EndpointSpec.of(fleet.receivers.url("crm")),
            false,
            false,
            CustomHeaders.NONE.with(Map.of("x-api-secret", Optional.of("open sesame"))),
            null,
            new OAuth2Client(fleet.receivers.url("login"), "egress", "a secret", null, null)));
    fleet.dispatcher();
    fleet.captures(workspace, 1);

    await().until(() -> fleet.count("attempts") == 2);
    for (Row row :
        fleet.query(
            "select convert_from(answer, 'UTF8') as answer, response_headers from attempts")) {
      assertThat(row.getString("answer"))
          .contains("(withheld)", "x-service-delivery")
          .doesNotContain("abc-token", "sesame");
      assertThat(row.getString("response_headers"))
          .contains("x-echo: (withheld)")
          .doesNotContain("sesame");
    }
  }

  @Test
  void aTokenServerThatHangsHoldsUpNoOtherEndpoint() {
    fleet.receivers.behave("login", (_, _) -> {});
    endpoint("login");
    UUID other = UUID.randomUUID();
    fleet.endpoint(other, "other");
    fleet.dispatcher(Map.of("EGRESS_ATTEMPT_TIMEOUT", "2s"));
    fleet.captures(workspace, 100);
    fleet.captures(other, 100);

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 100);
    await().until(() -> fleet.count("attempts where outcome = 'token'") > 0);
    assertThat(fleet.receivers.arrivals("crm")).isEmpty();
  }

  @Test
  void theTokenServerIsShownTheEndpointsCertificate() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    endpoint(
        fleet.receivers.urlRequestingCertificates(seen::add), fleet.receivers.clientCertificate());
    fleet.dispatcher();

    fleet.captures(workspace, 1);

    await().until(() -> !seen.isEmpty());
    assertThat(seen).containsOnly("CN=receiver");
  }

  /** What ends while a token is awaited, and was prepared before. */
  enum End {
    ERASURE,
    PAUSE,
    DELETION
  }

  @ParameterizedTest
  @EnumSource
  void whatEndsWhileATokenIsAwaitedIsNotSent(End end) {
    CompletableFuture<HttpServerRequest> asked = new CompletableFuture<>();
    fleet.receivers.behave("login", (request, _) -> asked.complete(request));
    Fleet.Provisioned endpoint = endpoint("login");
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    HttpServerRequest held = asked.join();

    end(end, endpoint, capture);
    held.response().end("{\"access_token\":\"abc\",\"expires_in\":0}");

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    assertThat(fleet.receivers.arrivals("crm")).isEmpty();
  }

  /** The first token is rejected, and the capture erased while the second one is awaited. */
  @Test
  void whatIsErasedWhileATokenIsReplacedIsNotSentAgain() {
    CompletableFuture<HttpServerRequest> asked = new CompletableFuture<>();
    fleet.receivers.behave(
        "login",
        (request, nth) -> {
          if (nth == 1) {
            request.response().end("{\"access_token\":\"old\",\"expires_in\":600}");
          } else {
            asked.complete(request);
          }
        });
    fleet.receivers.behave("crm", (request, _) -> request.response().setStatusCode(401).end());
    Fleet.Provisioned endpoint = endpoint("login");
    fleet.dispatcher();
    UUID capture = fleet.captures(workspace, 1).get(0);
    HttpServerRequest held = asked.join();

    end(End.ERASURE, endpoint, capture);
    held.response().end("{\"access_token\":\"new\",\"expires_in\":600}");

    await().until(() -> fleet.count("deliveries where state = 'skipped'") == 1);
    assertThat(fleet.receivers.arrivals("crm")).hasSize(1);
  }

  /** A token of the former client is not for whom the endpoint has been moved to. */
  @Test
  void aTokenIsNotSentToAnEndpointThatChangedWhileItWasAwaited() {
    CompletableFuture<HttpServerRequest> asked = new CompletableFuture<>();
    fleet.receivers.behave("login", (request, _) -> asked.complete(request));
    fleet.receivers.behave(
        "new-login", (request, _) -> request.response().end("{\"access_token\":\"new\"}"));
    Fleet.Provisioned endpoint = endpoint("login");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    HttpServerRequest held = asked.join();

    OAuth2Client other =
        new OAuth2Client(fleet.receivers.url("new-login"), "egress", "a secret", null, null);
    fleet.change(
        endpoint,
        new EndpointChange(
            UnaryOperator.identity(),
            null,
            null,
            null,
            new EndpointChange.OAuth2Change(other),
            false));
    held.response().end("{\"access_token\":\"old\"}");

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 1);
    assertThat(fleet.receivers.arrivals("crm"))
        .extracting(arrival -> arrival.headers().get("authorization"))
        .containsExactly("Bearer new");
  }

  private void end(End end, Fleet.Provisioned endpoint, UUID capture) {
    switch (end) {
      case ERASURE ->
          fleet.query("select erase_capture('%s', null, 'requested')".formatted(capture));
      case PAUSE -> fleet.change(endpoint, EndpointChange.pausing(true));
      case DELETION -> fleet.delete(endpoint);
    }
  }

  private Fleet.Provisioned endpoint(String server) {
    return endpoint(fleet.receivers.url(server), null);
  }

  private Fleet.Provisioned endpoint(String tokenUrl, @Nullable ClientCertificate certificate) {
    return fleet.endpoint(
        workspace,
        new NewEndpoint(
            EndpointSpec.of(fleet.receivers.url("crm")),
            false,
            false,
            CustomHeaders.NONE,
            certificate,
            new OAuth2Client(tokenUrl, "egress", "a secret", null, null)));
  }
}
