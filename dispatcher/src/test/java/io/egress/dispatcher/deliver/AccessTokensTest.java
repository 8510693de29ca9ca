package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.OAuth2Client;
import io.vertx.sqlclient.Row;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Deliveries carry access tokens, and wait for their token server alone. */
@Execution(ExecutionMode.CONCURRENT)
class AccessTokensTest {

  private final Fleet fleet =
      new Fleet(Map.of("EGRESS_RETRY_SCHEDULE", "1s,1s", "EGRESS_ATTEMPT_TIMEOUT", "2s"));
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

  @Test
  void aTokenServerThatHangsHoldsUpNoOtherEndpoint() {
    fleet.receivers.behave("login", (_, _) -> {});
    endpoint("login");
    UUID other = UUID.randomUUID();
    fleet.endpoint(other, "other");
    fleet.dispatcher();
    fleet.captures(workspace, 100);
    fleet.captures(other, 100);

    await().until(() -> fleet.receivers.arrivals("other").size() == 100);
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

  private void endpoint(String server) {
    endpoint(fleet.receivers.url(server), null);
  }

  private void endpoint(String tokenUrl, @Nullable ClientCertificate certificate) {
    fleet.endpoint(
        workspace,
        new NewEndpoint(
            EndpointSpec.of(fleet.receivers.url("crm")),
            false,
            CustomHeaders.NONE,
            certificate,
            new OAuth2Client(tokenUrl, "egress", "a secret", null, null)));
  }
}
