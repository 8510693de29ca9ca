package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;

import io.egress.deliverylog.LogDays;
import io.egress.dispatcher.document.HeadCache;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.send.WebhookSender;
import io.egress.dispatcher.supervise.BackendWait;
import io.egress.dispatcher.supervise.Restarts;
import io.egress.document.DocumentStore;
import io.egress.endpoint.SecretBox;
import io.egress.kafka.RecordPublisher;
import io.egress.settings.Settings;
import io.vertx.sqlclient.Pool;

/** What the workers of a process have in common. */
public record SharedParts(
    Settings settings,
    SecretBox secrets,
    WebhookSender sender,
    Pool pool,
    DocumentStore documents,
    HeadCache heads,
    LogDays days,
    RecordPublisher publisher,
    DeliveryMeters meters,
    WorkerStates workers,
    Supervision supervision) {

  /** When a worker starts again, and how often workers did. */
  public record Supervision(Restarts restarts, BackendWait backends) {
    public Supervision {
      requireNonNull(restarts, "restarts is null");
      requireNonNull(backends, "backends is null");
    }
  }

  public SharedParts {
    requireNonNull(settings, "settings is null");
    requireNonNull(secrets, "secrets is null");
    requireNonNull(sender, "sender is null");
    requireNonNull(pool, "pool is null");
    requireNonNull(documents, "documents is null");
    requireNonNull(heads, "heads is null");
    requireNonNull(days, "days is null");
    requireNonNull(publisher, "publisher is null");
    requireNonNull(meters, "meters is null");
    requireNonNull(workers, "workers is null");
    requireNonNull(supervision, "supervision is null");
  }
}
