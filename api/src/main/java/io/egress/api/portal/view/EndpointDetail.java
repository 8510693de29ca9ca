package io.egress.api.portal.view;

import static java.util.Objects.requireNonNull;

import io.egress.api.admin.deliveries.SentPages;
import io.egress.webhook.endpoint.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint and its health.
 *
 * @param latencies null if there was no attempt
 * @param newest the newest attempts, newest first
 * @param newestPages the newest pages, newest first, if it is sent pages
 * @param tested the outcome of a test, null if none was sent
 */
public record EndpointDetail(
    Endpoint endpoint,
    EndpointLine line,
    @Nullable LatencyChart latencies,
    List<RecentAttempt> newest,
    List<SentPages.SentPage> newestPages,
    @Nullable AttemptRow tested) {
  public EndpointDetail {
    requireNonNull(endpoint, "endpoint is null");
    requireNonNull(line, "line is null");
    newest = List.copyOf(newest);
    newestPages = List.copyOf(newestPages);
  }
}
