package io.egress.api.deliveries;

import static java.util.Objects.requireNonNull;

import io.egress.deliverylog.LogDays;
import io.egress.deliverylog.LoggedAttempt;
import io.egress.deliverylog.LoggedDeliveries;
import io.egress.deliverylog.LoggedDelivery;
import io.egress.deliverylog.MadeAttempt;
import io.egress.endpoint.Endpoint;
import io.egress.endpoint.EndpointStore;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.sqlclient.Pool;
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

  /** A delivery with its attempts. */
  public record Told(LoggedDelivery delivery, List<LoggedAttempt> attempts) {
    public Told {
      requireNonNull(delivery, "delivery is null");
      attempts = List.copyOf(attempts);
    }
  }

  private final EndpointStore endpoints;
  private final LoggedDeliveries log;
  private final DeliverySearch search;

  public DeliveryReads(Pool pool, LogDays days) {
    this.endpoints = new EndpointStore(requireNonNull(pool, "pool is null"));
    this.log = new LoggedDeliveries(pool, days);
    this.search = new DeliverySearch(pool, log);
  }

  /**
   * Deliveries to all endpoints. {@code query} has the parameters of the internal API; throws
   * {@link Refusal}.
   */
  public Future<Listed> list(UUID workspaceId, MultiMap query) {
    DeliveryQuestion question = DeliveryQuestion.from(query);
    return endpoints.list(workspaceId).compose(all -> list(workspaceId, all, question));
  }

  /** Deliveries to one endpoint. */
  public Future<Listed> list(UUID workspaceId, UUID endpointId, MultiMap query) {
    DeliveryQuestion question = DeliveryQuestion.from(query);
    return endpoints
        .show(workspaceId, endpointId)
        .compose(
            found ->
                list(
                    workspaceId,
                    List.of(
                        found.orElseThrow(
                            () -> new Refusal(404, "no such endpoint in this workspace"))),
                    question));
  }

  private Future<Listed> list(
      UUID workspaceId, List<Endpoint> ofEndpoints, DeliveryQuestion question) {
    return search
        .page(workspaceId, ofEndpoints, question)
        .map(
            page -> {
              DeliveryPlace next = page.next();
              return new Listed(page.deliveries(), next == null ? null : next.encode());
            });
  }

  /** Fails with a {@link Refusal} if the workspace has no such delivery. */
  public Future<LoggedDelivery> find(UUID workspaceId, UUID id) {
    return endpoints
        .list(workspaceId)
        .compose(all -> search.one(workspaceId, all, id))
        .map(
            found ->
                found.orElseThrow(() -> new Refusal(404, "no such delivery in this workspace")));
  }

  /** Like {@link #find}. */
  public Future<Told> one(UUID workspaceId, UUID id) {
    return find(workspaceId, id)
        .compose(delivery -> log.attempts(id).map(attempts -> new Told(delivery, attempts)));
  }

  /** The beginning of a response body as text; empty if it is not text. */
  public static Optional<String> answerText(MadeAttempt attempt) {
    return AnswerText.of(attempt.answerStart().getBytes());
  }
}
