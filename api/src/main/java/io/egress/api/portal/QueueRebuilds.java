package io.egress.api.portal;

import io.egress.platform.lifecycle.Recurring;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the newest rebuild of the queue now and then, so that no page has to. */
public final class QueueRebuilds {
  private static final Duration PERIOD = Duration.ofSeconds(5);

  private final Recurring looking;
  private volatile @Nullable Rebuild newest;

  public QueueRebuilds(Vertx vertx, Pool pool) {
    this.looking =
        new Recurring(
                vertx,
                "reading the newest rebuild of the queue",
                () -> newest = RebuildStore.newest(pool).orElse(null))
            .nowAndEvery(PERIOD);
  }

  /** As of a few seconds ago; null if there was none, or if that is not known yet. */
  public @Nullable Rebuild newest() {
    return newest;
  }

  public void close() {
    looking.close();
  }
}
