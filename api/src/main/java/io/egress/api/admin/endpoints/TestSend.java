package io.egress.api.admin.endpoints;

import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.egress.transcript.capture.SampleCapture;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.egress.webhook.send.Destination;
import io.egress.webhook.send.Destination.Message;
import io.egress.webhook.send.Envelope.Event;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.PushSettings;
import io.egress.webhook.send.WebhookSender;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * Sends one signed sample to an endpoint immediately, with the sender that deliveries use. The
 * sample appears neither in the stream nor in the delivery log.
 */
public final class TestSend {
  private static final int TESTS_MAX = 8;

  /** A test and its outcome. */
  public record Result(UUID deliveryId, MadeAttempt attempt) {}

  private final Transactions transactions;
  private final WebhookSender sender;
  private final PushSettings settings;
  private final Duration attemptMax;
  private final Clock clock;
  private final TranscriptRenderer renderer = new TranscriptRenderer();
  private final Semaphore tests = new Semaphore(TESTS_MAX);

  /** {@code attemptMax} is how long the sender waits for a receiver. */
  public TestSend(
      Pool pool, WebhookSender sender, PushSettings settings, Duration attemptMax, Clock clock) {
    this.transactions = new Transactions(pool);
    this.sender = sender;
    this.settings = settings;
    this.attemptMax = attemptMax;
    this.clock = clock;
  }

  /**
   * Fails with a {@link Refusal} if there is no such endpoint, or if too many tests are running.
   * The request may take as much longer as a receiver may.
   */
  public Future<Result> run(RoutingContext ctx, Caller caller, UUID workspaceId, UUID endpointId) {
    RequestLifetime.of(ctx).allow(RequestLifetime.ANSWER_MAX.plus(attemptMax));
    SecretBox secretBox = settings.secretBox();
    if (secretBox == null) {
      return refuse(503, "EGRESS_SECRET_KEY is not set: nothing can be signed");
    }
    if (!tests.tryAcquire()) {
      return refuse(503, TESTS_MAX + " tests are running already, try again");
    }
    // The audit entry is committed first, so that nothing is sent without one.
    return transactions
        .run(tx -> begin(tx, caller, workspaceId, endpointId))
        .compose(target -> send(target, secretBox))
        .onComplete(_ -> tests.release());
  }

  private static Future<EndpointTarget> begin(
      SqlConnection tx, Caller caller, UUID workspaceId, UUID id) {
    return EndpointStore.lock(tx, workspaceId, id)
        .map(Endpoints::known)
        .compose(_ -> new EndpointAudit(tx, caller, workspaceId).tested(id))
        .compose(_ -> EndpointStore.byIds(tx, List.of(id)))
        .map(targets -> targets.values().iterator().next());
  }

  private Future<Result> send(EndpointTarget target, SecretBox secretBox) {
    Destination destination;
    try {
      destination = Destination.of(target, secretBox, settings.allowHttpEndpoints(), sender);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      return refuse(409, String.valueOf(unusable.getMessage()));
    }
    UUID deliveryId = UUID.randomUUID();
    Instant now = clock.instant();
    byte[] document = renderer.render(SampleCapture.of(target.workspaceId(), now));
    return destination
        .send(new Message(Event.CAPTURE_PROCESSED, deliveryId, now, null), document)
        .outcome()
        .compose(outcome -> result(deliveryId, now, outcome));
  }

  private static Future<Result> result(UUID deliveryId, Instant startedAt, Outcome outcome) {
    return MadeAttempt.of(startedAt, outcome)
        .map(attempt -> Future.succeededFuture(new Result(deliveryId, attempt)))
        .orElseGet(() -> refuse(503, "the service is stopping, try again"));
  }

  private static <T> Future<T> refuse(int status, String reason) {
    return Future.failedFuture(new Refusal(status, reason));
  }
}
