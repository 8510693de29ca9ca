package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import io.egress.dispatcher.Fleet;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.CustomHeaders;
import io.egress.webhook.endpoint.EndpointChange;
import io.egress.webhook.endpoint.EndpointChange.CertificateChange;
import io.egress.webhook.endpoint.EndpointChange.HeaderChange;
import io.egress.webhook.endpoint.EndpointSpec;
import io.egress.webhook.endpoint.NewEndpoint;
import io.egress.webhook.endpoint.SigningSecrets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An endpoint's settings apply to each attempt. */
@Execution(ExecutionMode.CONCURRENT)
class EndpointSettingsTest {

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void sendsOnlyItsOwnHeaders() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    fleet.receivers.behave(
        "crm",
        (request, _) -> {
          seen.add(
              request.getHeader("authorization")
                  + " "
                  + request.getHeader("x-tenant")
                  + " "
                  + request.getHeader("content-type"));
          request.response().end();
        });
    CustomHeaders headers =
        new CustomHeaders(new TreeMap<>(Map.of("authorization", "Bearer abc", "x-tenant", "7")));
    Fleet.Provisioned endpoint =
        fleet.endpoint(
            workspace,
            new NewEndpoint(
                EndpointSpec.of(fleet.receivers.url("crm")), false, false, headers, null, null));
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> seen.size() == 1);

    fleet.change(endpoint, headers(Map.of("x-tenant", Optional.of("8"))));
    fleet.captures(workspace, 1);

    await().until(() -> seen.size() == 2);
    assertThat(seen).containsExactly("Bearer abc 7 application/json", "null 8 application/json");
  }

  @Test
  void signsByStandardWebhooksFromTheNextAttemptOn() throws Exception {
    Queue<Map<String, List<String>>> seen = new ConcurrentLinkedQueue<>();
    fleet.receivers.behave(
        "crm",
        (request, _) -> {
          Map<String, List<String>> headers = new HashMap<>();
          request
              .headers()
              .names()
              .forEach(name -> headers.put(name, request.headers().getAll(name)));
          seen.add(headers);
          request.response().end();
        });
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> seen.size() == 1);
    assertThat(seen.remove()).doesNotContainKey("webhook-signature");

    fleet.change(
        endpoint,
        EndpointChange.of(before -> Fleet.spec(before.url(), Map.of("standard_webhooks", true))));
    fleet.captures(workspace, 1);

    await().until(() -> seen.size() == 1);
    new Webhook(SigningSecrets.inStandardForm(endpoint.secret()))
        .verify(fleet.receivers.arrivals("crm").get(1).body().toString(), seen.remove());
  }

  @Test
  void showsItsOwnCertificateFromTheNextAttemptOn() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    String url = fleet.receivers.urlRequestingCertificates(seen::add);
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, url, false);
    fleet.endpoint(workspace, url, false);
    fleet.dispatcher();
    fleet.captures(workspace, 1);
    await().until(() -> seen.size() == 2);

    fleet.change(endpoint, certificate(fleet.receivers.clientCertificate()));
    fleet.captures(workspace, 1);
    await().until(() -> seen.size() == 4);
    fleet.change(endpoint, certificate(null));
    fleet.captures(workspace, 1);

    await().until(() -> seen.size() == 6);
    assertThat(seen.stream().limit(2)).containsExactly("none", "none");
    assertThat(seen.stream().skip(2).limit(2)).containsExactlyInAnyOrder("none", "CN=receiver");
    assertThat(seen.stream().skip(4)).containsExactly("none", "none");
  }

  @Test
  void respectsMaxInFlight() {
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    fleet.receivers.behave(
        "crm",
        (request, _) -> {
          most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
          fleet
              .receivers
              .vertx()
              .setTimer(
                  5,
                  _ -> {
                    atOnce.decrementAndGet();
                    request.response().end();
                  });
        });
    limited(Map.of("max_in_flight", 2));
    fleet.dispatcher();
    fleet.captures(workspace, 150);

    awaitDelivered(150);
    assertThat(most).hasValueBetween(1, 2);
    assertThat(fleet.count("attempts")).isEqualTo(150);
  }

  @Test
  void respectsMaxPerSecond() {
    limited(Map.of("max_per_second", 10));
    fleet.dispatcher();
    fleet.captures(workspace, 30);

    awaitDelivered(30);
    long millis =
        fleet
            .query(
                "select (extract(epoch from max(started_at) - min(started_at)) * 1000)::bigint"
                    + " from attempts a join deliveries d on d.id = a.delivery_id"
                    + " where d.endpoint_id = (select id from endpoints where spec @> '{\"max_per_second\": 10}')")
            .iterator()
            .next()
            .getLong(0);
    assertThat(millis).as("29 intervals of 100 ms").isGreaterThan(2_000);
    assertThat(fleet.count("attempts")).isEqualTo(30);
    assertThat(fleet.count("deliveries where attempts <> 1")).isZero();
  }

  @Test
  void delaysNoOthersByMaxPerSecond() {
    limited(Map.of("max_per_second", 1));
    UUID other = UUID.randomUUID();
    fleet.endpoint(other, "other");
    fleet.dispatcher();
    fleet.captures(workspace, 300);
    fleet.captures(other, 200);

    await().until(() -> fleet.receivers.arrivals("other").size() == 200);
    assertThat(fleet.receivers.arrivals("crm")).as("the limited one").hasSizeLessThan(300);
  }

  @Test
  void appliesAChangedLimitToTheNextAttempt() {
    Fleet.Provisioned endpoint = limited(Map.of("max_per_second", 1));
    fleet.dispatcher();
    fleet.captures(workspace, 500);
    await().until(() -> fleet.receivers.arrivals("crm").size() >= 2);

    fleet.change(endpoint, EndpointChange.of(before -> EndpointSpec.of(before.url())));

    awaitDelivered(500);
  }

  private Fleet.Provisioned limited(Map<String, ?> limits) {
    return fleet.endpoint(
        workspace, new NewEndpoint(Fleet.spec(fleet.receivers.url("crm"), limits), false));
  }

  private static EndpointChange headers(Map<String, Optional<String>> values) {
    return new EndpointChange(
        UnaryOperator.identity(), null, new HeaderChange(true, values), null, null, false);
  }

  private static EndpointChange certificate(@Nullable ClientCertificate certificate) {
    return new EndpointChange(
        UnaryOperator.identity(), null, null, new CertificateChange(certificate), null, false);
  }

  private void awaitDelivered(int count) {
    await().until(() -> fleet.count("deliveries where state = 'delivered'") == count);
  }
}
