package io.egress.api.admin.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.platform.http.Refusal;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.deliverylog.LoggedAttempt;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.egress.webhook.deliverylog.LoggedDelivery;
import io.egress.webhook.deliverylog.MadeAttempt;
import io.egress.webhook.endpoint.Endpoint;
import io.egress.webhook.endpoint.EndpointStore;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the deliveries of a workspace for the internal API and the settings page. */
public final class DeliveryReads {
  /**
   * A page of a list.
   *
   * @param next the cursor of the next page, null on the last page
   */
  public record Listed(List<LoggedDelivery> deliveries, @Nullable String next) {
    public Listed {
      deliveries = List.copyOf(deliveries);
    }
  }

  private static final String REVISION =
      "select revision from captures where id = $1 and workspace_id = $2 and erased_at is null";

  /**
   * A delivery with its attempts.
   *
   * @param others the deliveries of the capture to the same endpoint by replays and redeliveries,
   *     oldest first
   * @param revision the capture's now; null if it was erased
   */
  public record Told(
      LoggedDelivery delivery,
      List<LoggedAttempt> attempts,
      List<LoggedDelivery> others,
      @Nullable Long revision) {
    public Told {
      requireNonNull(delivery, "delivery is null");
      attempts = List.copyOf(attempts);
      others = List.copyOf(others);
    }

    /** Whether the body that was sent can be made again. */
    public boolean isBodyKnown(MadeAttempt attempt) {
      return revision != null
          && revision.equals(attempt.revision())
          && attempt.exchanged().request() != null;
    }
  }

  private final Pool pool;
  private final EndpointStore endpoints;
  private final LoggedDeliveries log;
  private final DeliverySearch search;

  public DeliveryReads(Pool pool, LogDays days) {
    this.pool = pool;
    this.endpoints = new EndpointStore(pool);
    this.log = new LoggedDeliveries(pool, days);
    this.search = new DeliverySearch(pool, log);
  }

  /**
   * Deliveries to all endpoints. {@code query} has the parameters of the internal API; throws
   * {@link Refusal}.
   */
  public Future<Listed> list(UUID workspaceId, MultiMap query) {
    DeliveryFilter filter = DeliveryFilter.from(query);
    return endpoints.list(workspaceId).compose(all -> list(workspaceId, all, filter));
  }

  /** Like {@link #list}, for a caller that has all endpoints of the workspace. */
  public Future<Listed> list(UUID workspaceId, List<Endpoint> all, MultiMap query) {
    return list(workspaceId, all, DeliveryFilter.from(query));
  }

  /** All deliveries of a capture; {@code all} are the endpoints of the workspace. */
  public Future<List<LoggedDelivery>> ofCapture(
      UUID workspaceId, List<Endpoint> all, UUID captureId) {
    return search.ofCapture(workspaceId, all, captureId);
  }

  /** Deliveries to one endpoint. */
  public Future<Listed> list(UUID workspaceId, UUID endpointId, MultiMap query) {
    DeliveryFilter filter = DeliveryFilter.from(query);
    return endpoints
        .show(workspaceId, endpointId)
        .compose(found ->
            list(
                workspaceId,
                List.of(
                    found.orElseThrow(
                        () -> new Refusal(404, "no such endpoint in this workspace"))),
                filter));
  }

  private Future<Listed> list(UUID workspaceId, List<Endpoint> ofEndpoints, DeliveryFilter filter) {
    return search
        .page(workspaceId, ofEndpoints, filter)
        .map(page -> {
          DeliveryCursor next = page.next();
          return new Listed(page.deliveries(), next == null ? null : next.encode());
        });
  }

  /** Fails with a {@link Refusal} if the workspace has no such delivery. */
  public Future<LoggedDelivery> find(UUID workspaceId, UUID id) {
    return endpoints
        .list(workspaceId)
        .compose(all -> search.one(workspaceId, all, id))
        .map(found ->
            found.orElseThrow(() -> new Refusal(404, "no such delivery in this workspace")));
  }

  /** Like {@link #find}. */
  public Future<Told> one(UUID workspaceId, UUID id) {
    return find(workspaceId, id).compose(delivery -> tell(workspaceId, delivery));
  }

  private Future<Told> tell(UUID workspaceId, LoggedDelivery delivery) {
    long position = delivery.position();
    Future<List<LoggedAttempt>> attempts = log.attempts(delivery.id());
    Future<List<LoggedDelivery>> others =
        log.replayed(List.of(delivery.endpointId()), position - 1, position);
    Future<RowSet<Row>> capture =
        pool.preparedQuery(REVISION).execute(Tuple.of(delivery.captureId(), workspaceId));
    return Future.all(attempts, others, capture)
        .map(_ ->
            new Told(
                delivery,
                attempts.result(),
                others.result().stream()
                    .filter(other -> !other.id().equals(delivery.id()))
                    .sorted(
                        Comparator.comparing(LoggedDelivery::owedAt)
                            .thenComparing(LoggedDelivery::id))
                    .toList(),
                revision(capture.result())));
  }

  private static @Nullable Long revision(RowSet<Row> captures) {
    RowIterator<Row> capture = captures.iterator();
    return capture.hasNext() ? capture.next().getLong("revision") : null;
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
