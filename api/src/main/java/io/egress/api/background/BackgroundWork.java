package io.egress.api.background;

import io.egress.api.admin.erasures.BackgroundErasure;
import io.egress.platform.lifecycle.Recurring;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The work on captures that nobody waits for. Each part is done by one process at a time. */
public final class BackgroundWork {
  /** A rename wakes the revision; the interval takes over after a process that died. */
  private static final Duration REVISION_INTERVAL = Duration.ofSeconds(10);

  private static final Duration RERENDERING_INTERVAL = Duration.ofSeconds(1);

  private static final Duration FILLING_INTERVAL = Duration.ofSeconds(1);

  private static final Duration EXPIRY_INTERVAL = Duration.ofSeconds(30);

  private static final Duration DELETION_INTERVAL = Duration.ofMinutes(1);

  private final Recurring revising;
  private final Recurring rerendering;
  private final Recurring filling;
  private final Recurring erasing;
  private final Recurring deleting;

  /**
   * {@code retention} is that of workspaces that have none of their own, {@code logRetention} that
   * of the delivery log.
   */
  public BackgroundWork(
      Vertx vertx,
      Pool pool,
      DocumentStore documents,
      @Nullable Duration retention,
      Duration logRetention) {
    revising =
        new Recurring(vertx, "revising renamed captures", new Revisions(pool)::reviseAll)
            .nowAndEvery(REVISION_INTERVAL);
    rerendering =
        new Recurring(vertx, "rendering documents again", new Rerendering(pool, documents)::run)
            .nowAndEvery(RERENDERING_INTERVAL);
    filling =
        new Recurring(vertx, "recording what captures were", new TraitFilling(pool)::run)
            .nowAndEvery(FILLING_INTERVAL);
    erasing =
        new Recurring(
                vertx,
                "erasing what is older than its retention or has ended",
                new BackgroundErasure(pool, retention)::run)
            .nowAndEvery(EXPIRY_INTERVAL);
    deleting =
        new Recurring(
                vertx,
                "deleting finished backfills",
                new FinishedBackfills(pool, logRetention)::run)
            .nowAndEvery(DELETION_INTERVAL);
  }

  /** Call when captures of a renamed device or member are waiting to be revised. Thread-safe. */
  public void revise() {
    revising.ask();
  }

  /** Call when a workspace has ended. Thread-safe. */
  public void erase() {
    erasing.ask();
  }

  /** Completes when nothing is running. */
  public Future<Void> stop() {
    return Future.join(
            List.of(
                revising.stop(),
                rerendering.stop(),
                filling.stop(),
                erasing.stop(),
                deleting.stop()))
        .mapEmpty();
  }
}
