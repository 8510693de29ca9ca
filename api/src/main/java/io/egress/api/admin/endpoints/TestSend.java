package io.egress.api.admin.endpoints;

import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLifetime;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.SampleCapture;
import io.egress.transcript.document.TranscriptRenderer;
import io.egress.webhook.delivery.Event;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.egress.webhook.send.CaptureState;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.Destination;
import io.egress.webhook.send.Destination.Message;
import io.egress.webhook.send.Outcome;
import io.egress.webhook.send.PushSettings;
import io.egress.webhook.send.WebhookSender;
import io.vertx.sqlclient.Pool;
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

  /** The longest that {@link #run} takes. */
  public Duration timeout() {
    return RequestLifetime.ANSWER_MAX.plus(attemptMax);
  }

  /** Throws a {@link Refusal} if there is no such endpoint, or if too many tests are running. */
  public Result run(Caller caller, UUID workspaceId, UUID endpointId) {
    SecretBox secretBox = settings.secretBox();
    if (secretBox == null) {
      throw new Refusal(503, "EGRESS_SECRET_KEY is not set: nothing can be signed");
    }
    if (!tests.tryAcquire()) {
      throw new Refusal(503, TESTS_MAX + " tests are running already, try again");
    }
    try {
      // The audit entry is committed first, so that nothing is sent without one.
      EndpointTarget target =
          transactions.call(tx -> {
            Endpoints.lock(tx, workspaceId, endpointId);
            new EndpointAudit(tx, caller, workspaceId).tested(endpointId);
            return EndpointTargets.byIds(tx, List.of(endpointId))
                .await()
                .values()
                .iterator()
                .next();
          });
      return send(target, secretBox);
    } finally {
      tests.release();
    }
  }

  private Result send(EndpointTarget target, SecretBox secretBox) {
    Destination destination;
    try {
      destination = new Destination(target, secretBox, settings.allowHttpEndpoints(), sender);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      throw new Refusal(409, String.valueOf(unusable.getMessage()));
    }
    UUID deliveryId = UUID.randomUUID();
    Instant now = clock.instant();
    Capture sample = SampleCapture.of(target.workspaceId(), now);
    CaptureState state = CaptureState.ofTest(sample.id());
    Message message = new Message(Event.CAPTURE_PROCESSED, deliveryId, state, now, null);
    Content document = new Content.Document(renderer.render(sample));
    Outcome outcome = destination.send(message, document, null).outcome().await();
    while (outcome instanceof Outcome.Authorized authorized) {
      outcome = destination.send(message, document, authorized).outcome().await();
    }
    return MadeAttempt.of(now, outcome)
        .map(attempt -> attempt.withRevision(state.revision()))
        .map(attempt -> new Result(deliveryId, attempt))
        .orElseThrow(() -> new Refusal(503, "the service is stopping, try again"));
  }
}
