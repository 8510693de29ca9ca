package io.egress.dispatcher.pause;

import static java.util.Objects.requireNonNull;

import io.egress.document.UtcInstant;
import io.egress.send.WebhookSignature;
import io.egress.settings.FailingSettings.OperatorWebhook;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the operator of paused endpoints by a webhook, signed like those to endpoints. It is
 * retried a few times and held in memory only; the audit log keeps what a crash would lose.
 */
public final class OperatorNotices {
  private static final Logger log = LoggerFactory.getLogger(OperatorNotices.class);

  private static final String EVENT = "endpoint.paused";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final List<Duration> DELAYS =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(1));

  private final Vertx vertx;
  private final Clock clock;
  private final @Nullable OperatorWebhook operator;
  private final WebClient client;

  /** Without {@code operator} no notice is sent. */
  public OperatorNotices(
      Vertx vertx, Clock clock, @Nullable OperatorWebhook operator, TrustOptions trust) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.clock = requireNonNull(clock, "clock is null");
    this.operator = operator;
    this.client =
        WebClient.create(
            vertx,
            new WebClientOptions()
                .setFollowRedirects(false)
                .setConnectTimeout((int) TIMEOUT.toMillis())
                .setTrustOptions(trust));
  }

  public void close() {
    client.close();
  }

  void send(PausedEndpoint endpoint) {
    if (operator == null) {
      return;
    }
    UUID id = UUID.randomUUID();
    JsonObject notice =
        new JsonObject()
            .put("event", EVENT)
            .put("delivery_id", id.toString())
            .put("emitted_at", UtcInstant.format(clock.instant()))
            .put(
                "data",
                new JsonObject()
                    .put("workspace_id", endpoint.workspaceId().toString())
                    .put("endpoint_id", endpoint.id().toString())
                    .put("reason", "failing")
                    .put("failing_since", UtcInstant.format(endpoint.failingSince()))
                    .put("paused_at", UtcInstant.format(endpoint.pausedAt())));
    attempt(operator, id, notice.toBuffer(), 0);
  }

  private void attempt(OperatorWebhook to, UUID id, Buffer body, int failedBefore) {
    Instant now = clock.instant();
    String signature =
        new WebhookSignature(List.of(to.secret())).sign(now.getEpochSecond(), body.getBytes());
    client
        .postAbs(to.url().toString())
        .timeout(TIMEOUT.toMillis())
        .putHeader("content-type", "application/json")
        .putHeader("x-service-event", EVENT)
        .putHeader("x-service-delivery", id.toString())
        .putHeader("x-service-signature", signature)
        .sendBuffer(body)
        .map(OperatorNotices::requireSuccess)
        .onFailure(
            failure -> {
              if (failedBefore < DELAYS.size()) {
                vertx.setTimer(
                    DELAYS.get(failedBefore).toMillis(),
                    timer -> attempt(to, id, body, failedBefore + 1));
              } else {
                log.warn(
                    "Cannot notify EGRESS_OPERATOR_WEBHOOK_URL of a paused endpoint: {}",
                    failure.toString());
              }
            });
  }

  private static Void requireSuccess(HttpResponse<Buffer> answer) {
    if (answer.statusCode() < 200 || answer.statusCode() > 299) {
      throw new IllegalStateException("answered " + answer.statusCode());
    }
    return null;
  }
}
