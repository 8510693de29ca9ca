package io.egress.dispatcher.notice;

import io.egress.platform.database.Rows;
import io.egress.platform.json.UtcInstant;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.egress.platform.outage.Reason;
import io.egress.settings.FailingSettings.OperatorWebhook;
import io.egress.webhook.delivery.RetrySchedule;
import io.egress.webhook.send.WebhookSignature;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends stored notices to the operator, signed and retried like webhooks to endpoints. Every
 * dispatcher looks for them; one that ends while it sends leaves its notices to the others, so one
 * may arrive twice, with the same id.
 */
public final class NoticeSender {
  private static final Logger log = LoggerFactory.getLogger(NoticeSender.class);

  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Nobody else sends what is taken within the time of an attempt. */
  private static final String TAKE =
      """
      update operator_notices set attempts = attempts + 1, next_attempt_at = now() + interval '30 seconds'
      where id = any(array(
        select id from operator_notices where next_attempt_at <= now()
        order by next_attempt_at limit 20 for update skip locked))
      returning id, event, emitted_at, data, attempts
      """;

  private static final String RETRY =
      "update operator_notices set next_attempt_at = now() + $2::bigint * interval '1 ms' where id = $1";
  private static final String REMOVE = "delete from operator_notices where id = $1";

  private record Notice(UUID id, String event, Buffer body, int attempt) {
    static Notice of(Row row) {
      UUID id = row.getUUID("id");
      JsonObject body =
          new JsonObject()
              .put("event", row.getString("event"))
              .put("delivery_id", id.toString())
              .put("emitted_at", UtcInstant.format(row.getOffsetDateTime("emitted_at").toInstant()))
              .put("data", row.getValue("data"));
      return new Notice(id, row.getString("event"), body.toBuffer(), row.getInteger("attempts"));
    }
  }

  private final Pool pool;
  private final Clock clock;
  private final OperatorWebhook operator;
  private final RetrySchedule schedule;
  private final Counter givenUp;
  private final WebClient client;
  private final Recurring looking;
  private final Outage refusing =
      Outage.ofItsOwn(
          log,
          "EGRESS_OPERATOR_WEBHOOK_URL does not accept notices; retrying",
          "EGRESS_OPERATOR_WEBHOOK_URL accepts notices again");

  public NoticeSender(
      Vertx vertx,
      Pool pool,
      Clock clock,
      OperatorWebhook operator,
      RetrySchedule schedule,
      TrustOptions trust,
      Counter givenUp) {
    this.pool = pool;
    this.clock = clock;
    this.operator = operator;
    this.schedule = schedule;
    this.givenUp = givenUp;
    this.client =
        WebClient.create(
            vertx,
            new WebClientOptions()
                .setFollowRedirects(false)
                .setConnectTimeout((int) TIMEOUT.toMillis())
                .setTrustOptions(trust));
    this.looking =
        new Recurring(vertx, "sending notices to the operator", this::sendDue)
            .reporting(
                new Outage(
                    log,
                    "Cannot read or write notices to the operator; retrying",
                    "Notices to the operator are read again"))
            .every(PERIOD);
  }

  public void close() {
    looking.close();
    client.close();
  }

  /** All at once; then what became of each is stored. */
  private void sendDue() {
    Map<Notice, Future<Void>> sent = new LinkedHashMap<>();
    for (Row row : Rows.of(pool, TAKE)) {
      Notice notice = Notice.of(row);
      sent.put(notice, post(notice));
    }
    sent.forEach(this::settle);
  }

  private void settle(Notice notice, Future<Void> sent) {
    sent.otherwiseEmpty().await();
    if (sent.succeeded()) {
      refusing.worked();
      remove(notice);
    } else {
      refusing.failed(sent.cause());
      retryOrGiveUp(notice, sent.cause());
    }
  }

  private Future<Void> post(Notice notice) {
    String signature =
        new WebhookSignature(List.of(operator.secret()))
            .sign(clock.instant().getEpochSecond(), notice.body().getBytes());
    return client
        .postAbs(operator.url().toString())
        .timeout(TIMEOUT.toMillis())
        .putHeader("content-type", "application/json")
        .putHeader("x-service-event", notice.event())
        .putHeader("x-service-delivery", notice.id().toString())
        .putHeader("x-service-signature", signature)
        .sendBuffer(notice.body())
        .compose(NoticeSender::requireSuccess);
  }

  private void retryOrGiveUp(Notice notice, Throwable cause) {
    if (!schedule.isLast(notice.attempt())) {
      Rows.of(pool, RETRY, notice.id(), schedule.delayAfter(notice.attempt()));
      return;
    }
    givenUp.increment();
    log.atWarn()
        .addKeyValue("event", notice.event())
        .log("EGRESS_OPERATOR_WEBHOOK_URL did not accept a notice: {}", Reason.of(cause));
    remove(notice);
  }

  private void remove(Notice notice) {
    Rows.of(pool, REMOVE, notice.id());
  }

  private static Future<Void> requireSuccess(HttpResponse<Buffer> answer) {
    return answer.statusCode() / 100 == 2
        ? Future.succeededFuture()
        : Future.failedFuture("answered " + answer.statusCode());
  }
}
