package io.egress.dispatcher;

import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.metrics.Metrics;
import io.egress.webhook.endpoint.ClientCertificate;
import io.egress.webhook.endpoint.EndpointStore;
import io.egress.webhook.endpoint.EndpointStore.Certified;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Until when the client certificates are valid: that of all receivers, and those of endpoints. */
final class CertificateExpiry {
  private static final Logger log = LoggerFactory.getLogger(CertificateExpiry.class);
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** As in the alert. */
  private static final Duration SOON = Duration.ofDays(14);

  private final EndpointStore endpoints;
  private final @Nullable ClientCertificate shared;
  private final Clock clock;
  private final Recurring reading;
  private volatile @Nullable Certified first;

  /** {@code shared} is the certificate for receivers of endpoints that have none of their own. */
  CertificateExpiry(Vertx vertx, Pool pool, @Nullable ClientCertificate shared, Clock clock) {
    this.endpoints = new EndpointStore(pool);
    this.shared = shared;
    this.clock = clock;
    this.reading =
        new Recurring(vertx, "reading the expiry of certificates", this::read)
            // The last answer holds.
            .onFailure(_ -> {})
            .nowAndEvery(PERIOD);
  }

  void register(Metrics metrics) {
    metrics.gauge(
        "egress_client_certificate_expiry_seconds",
        "time until the first client certificate expires, EGRESS_CLIENT_CERTIFICATE or that of an"
            + " endpoint; +Inf without any",
        this::secondsLeft);
  }

  void close() {
    reading.close();
  }

  private double secondsLeft() {
    double ofShared =
        shared == null ? Double.POSITIVE_INFINITY : secondsUntil(shared.shown().expiresAt());
    Certified endpoint = first;
    return endpoint == null ? ofShared : Math.min(ofShared, secondsUntil(endpoint.expiresAt()));
  }

  private double secondsUntil(Instant end) {
    return Duration.between(clock.instant(), end).toSeconds();
  }

  /** Each certificate is named once: the metric is for all endpoints. */
  private void read() {
    Certified endpoint = endpoints.firstToExpire().await().orElse(null);
    if (endpoint != null
        && !endpoint.equals(first)
        && clock.instant().plus(SOON).isAfter(endpoint.expiresAt())) {
      log.warn(
          "The client certificate of endpoint {} of workspace {} expires at {}",
          endpoint.id(),
          endpoint.workspaceId(),
          endpoint.expiresAt());
    }
    first = endpoint;
  }
}
