package io.egress.api.admin.deliveries;

import io.egress.api.admin.attempts.AnswerText;
import io.egress.api.admin.captures.Captures;
import io.egress.api.admin.endpoints.Endpoints;
import io.egress.api.call.Turns;
import io.egress.platform.database.Rows;
import io.egress.platform.http.Refusal;
import io.egress.webhook.backfill.Backfills;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LoggedAttempt;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.MultiMap;
import io.vertx.sqlclient.Pool;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the deliveries of a workspace for the internal API and the settings page. */
public final class DeliveryReads {
  /**
   * A page of a list.
   *
   * @param endpoints those whose deliveries were searched
   * @param next the cursor of the next page, null on the last page
   */
  public record FoundDeliveries(
      List<LoggedDelivery> deliveries, List<Endpoint> endpoints, @Nullable String next) {
    public FoundDeliveries {
      deliveries = List.copyOf(deliveries);
      endpoints = List.copyOf(endpoints);
    }
  }

  /**
   * A delivery with its attempts.
   *
   * @param others the deliveries of the capture to the same endpoint by replays and redeliveries,
   *     oldest first
   * @param revision the capture's now; null if it was erased
   */
  public record DeliveryWithAttempts(
      LoggedDelivery delivery,
      List<LoggedAttempt> attempts,
      List<LoggedDelivery> others,
      @Nullable Long revision) {
    /** Whether the body that was sent can be made again. */
    public boolean isBodyKnown(MadeAttempt attempt) {
      return revision != null
          && revision.equals(attempt.revision())
          && attempt.exchanged().request() != null;
    }
  }

  private final Pool pool;
  private final Captures captures;
  private final LogDays days;
  private final EndpointStore endpoints;
  private final LoggedDeliveries log;
  private final OwedDeliveries owed;
  private final DeliverySearch search;

  /** {@code turns} are those of searches. */
  public DeliveryReads(Pool pool, Captures captures, LogDays days, Turns turns) {
    this.pool = pool;
    this.captures = captures;
    this.days = days;
    this.endpoints = new EndpointStore(pool);
    this.log = new LoggedDeliveries(pool, days);
    this.owed = new OwedDeliveries(pool, log);
    this.search = new DeliverySearch(captures, owed, log, turns);
  }

  /**
   * Deliveries to all endpoints. {@code query} has the parameters of the internal API; throws
   * {@link Refusal}.
   */
  public FoundDeliveries list(UUID workspaceId, MultiMap query) {
    DeliveryFilter filter = DeliveryFilter.from(query);
    return list(workspaceId, endpoints.list(workspaceId).await(), filter);
  }

  /** Like {@link #list}, for a caller that has all endpoints of the workspace. */
  public FoundDeliveries list(UUID workspaceId, List<Endpoint> all, MultiMap query) {
    return list(workspaceId, all, DeliveryFilter.from(query));
  }

  /** All deliveries of a capture; {@code all} are the endpoints of the workspace. */
  public List<LoggedDelivery> ofCapture(UUID workspaceId, List<Endpoint> all, UUID captureId) {
    return search.ofCapture(workspaceId, all, captureId);
  }

  /** Deliveries to one endpoint. */
  public FoundDeliveries list(UUID workspaceId, UUID endpointId, MultiMap query) {
    DeliveryFilter filter = DeliveryFilter.from(query);
    Endpoint endpoint =
        endpoints.show(workspaceId, endpointId).await().orElseThrow(Endpoints::unknown);
    return list(workspaceId, List.of(endpoint), filter);
  }

  private FoundDeliveries list(
      UUID workspaceId, List<Endpoint> ofEndpoints, DeliveryFilter filter) {
    DeliverySearch.Page page = search.page(workspaceId, ofEndpoints, filter);
    DeliveryCursor next = page.next();
    return new FoundDeliveries(page.deliveries(), ofEndpoints, next == null ? null : next.encode());
  }

  /** Throws a {@link Refusal} if the workspace has no such delivery. */
  public LoggedDelivery find(UUID workspaceId, UUID id) {
    return log.one(workspaceId, id)
        .await()
        .or(() -> unpublished(workspaceId, id))
        .or(() -> search.withoutOutcome(workspaceId, endpoints.list(workspaceId).await(), id))
        .orElseThrow(() -> new Refusal(404, "no such delivery in this workspace"));
  }

  private Optional<LoggedDelivery> unpublished(UUID workspaceId, UUID id) {
    return Backfills.unpublishedRedeliveries(pool, workspaceId).stream()
        .filter(each -> each.id().equals(id))
        .map(LoggedDelivery::withoutOutcome)
        .findFirst();
  }

  /** Like {@link #find}. */
  public DeliveryWithAttempts one(UUID workspaceId, UUID id) {
    LoggedDelivery delivery = find(workspaceId, id);
    long position = delivery.position();
    List<LoggedDelivery> others =
        log.replayed(List.of(delivery.endpointId()), position - 1, position).await().stream()
            .filter(other -> !other.id().equals(id))
            .sorted(Comparator.comparing(LoggedDelivery::owedAt).thenComparing(LoggedDelivery::id))
            .toList();
    Long revision = captures.revision(workspaceId, delivery.captureId()).orElse(null);
    return new DeliveryWithAttempts(delivery, attempts(id), others, revision);
  }

  /** Those of a delivery, or of a page. */
  List<LoggedAttempt> attempts(UUID id) {
    return log.attempts(id).await();
  }

  /** The newest attempts to an endpoint, newest first. */
  public List<LoggedDeliveries.AttemptOf> newestAttempts(
      UUID workspaceId, Endpoint endpoint, int max) {
    OwedScope scope = owed.scope(workspaceId, List.of(endpoint), DeliveryFilter.EVERYTHING);
    return log.newestAttempts(endpoint.id(), owed.newest(scope, max).owed(), max).await();
  }

  /** The last attempt of each delivery that has one, keyed by delivery id. */
  Map<UUID, LastAttempt> lastAttempts(List<LoggedDelivery> deliveries) {
    List<LoggedDelivery> attempted =
        deliveries.stream().filter(each -> each.lastOutcome() != null).toList();
    if (attempted.isEmpty()) {
      return Map.of();
    }
    LocalDate[] ofDays =
        attempted.stream().map(each -> days.of(each.owedAt())).toArray(LocalDate[]::new);
    UUID[] ids = attempted.stream().map(LoggedDelivery::id).toArray(UUID[]::new);
    return Rows.byId(Rows.of(pool, LastAttempt.READ, ofDays, ids), LastAttempt::of);
  }

  /** What the last attempt of a delivery may have ended with. */
  public static List<String> outcomes() {
    return DeliveryFilter.OUTCOMES;
  }

  /** The beginning of a response body as text; empty if it is not text. */
  public static Optional<String> answerText(MadeAttempt attempt) {
    return AnswerText.of(attempt.answerStart().getBytes());
  }
}
