package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.DeliveryReads.DeliveryWithAttempts;
import io.egress.platform.http.Refusal;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.deliverylog.LoggedAttempt;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.endpoint.DamagedSecretException;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.endpoint.SecretBox;
import io.egress.webhook.endpoint.UnknownSecretKeyException;
import io.egress.webhook.send.Content;
import io.egress.webhook.send.DocumentHead;
import io.egress.webhook.send.Envelope;
import io.egress.webhook.send.PushSettings;
import io.egress.webhook.send.Reference;
import io.egress.webhook.send.SentRequest;
import io.egress.webhook.send.WebhookSignature;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of attempts, made again from the document as long as the capture has the revision that
 * was sent. They are not stored: an erased capture leaves none behind.
 */
public final class SentBodies {
  /** Each may be as large as a document. */
  private static final int READ_AT_A_TIME = 2;

  private static final Pattern ATTEMPT = Pattern.compile("[1-9][0-9]{0,4}");

  /**
   * A body, as it was before it was compressed.
   *
   * @param verified whether a secret of the endpoint gives the signature that was sent; false also
   *     if its secrets have been replaced since
   */
  public record SentBody(Buffer bytes, boolean verified) {}

  private record Sent(LoggedDelivery delivery, LoggedAttempt attempt, SentRequest request) {}

  private final Pool pool;
  private final DeliveryReads deliveries;
  private final DocumentStore documents;
  private final PushSettings settings;
  private final Semaphore reads = new Semaphore(READ_AT_A_TIME);

  public SentBodies(
      Pool pool, DeliveryReads deliveries, DocumentStore documents, PushSettings settings) {
    this.pool = pool;
    this.deliveries = deliveries;
    this.documents = documents;
    this.settings = settings;
  }

  /** The number of an attempt, from 1. */
  public static Optional<Integer> attempt(String text) {
    return ATTEMPT.matcher(text).matches() ? Optional.of(Integer.valueOf(text)) : Optional.empty();
  }

  /** Throws a {@link Refusal} if there is no such attempt, or its body cannot be shown. */
  public SentBody read(UUID workspaceId, UUID deliveryId, int attempt) {
    return read(workspaceId, deliveries.one(workspaceId, deliveryId), attempt);
  }

  SentBody read(UUID workspaceId, DeliveryWithAttempts found, int attempt) {
    Sent sent = sent(found, attempt);
    if (!reads.tryAcquire()) {
      throw new Refusal(503, READ_AT_A_TIME + " bodies are being read already, try again");
    }
    try {
      EndpointTarget target =
          EndpointTargets.byIds(pool, List.of(found.delivery().endpointId()))
              .await()
              .get(found.delivery().endpointId());
      UUID captureId = found.delivery().captureId();
      Content content = new Content.Document(Reference.head(workspaceId, captureId));
      Envelope made = asSent(sent, content);
      if (made.length() != sent.request().length()) {
        content = new Content.Document(document(captureId, sent));
        made = asSent(sent, content);
      }
      if (made.length() != sent.request().length()) {
        throw gone();
      }
      return new SentBody(
          envelope(sent, content, false).buffer(),
          target != null && isSignedBy(signature(target), sent.request(), made));
    } finally {
      reads.release();
    }
  }

  private static Sent sent(DeliveryWithAttempts found, int number) {
    LoggedAttempt attempt =
        found.attempts().stream()
            .filter(each -> each.number() == number)
            .findFirst()
            .orElseThrow(() -> new Refusal(404, "no such attempt of this delivery"));
    SentRequest request = attempt.made().exchanged().request();
    if (request == null) {
      throw new Refusal(409, "nothing was sent in this attempt");
    }
    return new Sent(found.delivery(), attempt, request);
  }

  private DocumentHead document(UUID captureId, Sent sent) {
    Long revision = sent.attempt().made().revision();
    return documents
        .ofRevision(captureId, revision)
        .await()
        .map(stored -> new DocumentHead(requireNonNull(revision), stored))
        .orElseThrow(SentBodies::gone);
  }

  private static Envelope envelope(Sent sent, Content content, boolean compressed) {
    return Envelope.compose(
        sent.delivery().origin().event(),
        sent.delivery().id(),
        sent.attempt().made().startedAt(),
        content,
        compressed);
  }

  private static Envelope asSent(Sent sent, Content content) {
    return envelope(sent, content, sent.request().isCompressed());
  }

  private static boolean isSignedBy(
      @Nullable WebhookSignature signature, SentRequest request, Envelope made) {
    return signature != null
        && request.sharesSignature(signature.sign(request.unixSeconds(), made));
  }

  private @Nullable WebhookSignature signature(EndpointTarget target) {
    SecretBox secretBox = settings.secretBox();
    if (secretBox == null) {
      return null;
    }
    try {
      return WebhookSignature.of(target, secretBox);
    } catch (UnknownSecretKeyException | DamagedSecretException unusable) {
      return null;
    }
  }

  private static Refusal gone() {
    return new Refusal(
        409, "the body is not known anymore: the capture has changed since, or was erased");
  }
}
