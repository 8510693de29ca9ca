package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
import io.egress.flow.ByteBudget;
import io.egress.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.sqlclient.Pool;

/** Everything that goes into the service: the completion hook, imports and renames. */
public final class Hook {
  private final HookHandler hooks;
  private final ImportHandler imports;

  /** What hook and imports may take: of memory shared by all, and for one capture. */
  public record HookLimits(ByteBudget memory, long maxCaptureBytes) {
    public HookLimits {
      requireNonNull(memory, "memory is null");
    }
  }

  /**
   * What to wake when a transaction has left work behind.
   *
   * @param entered run after every successful put: captures may wait for their position
   * @param renamed run after a rename: captures wait to be revised
   */
  public record Wakeups(Runnable entered, Runnable renamed) {
    public Wakeups {
      requireNonNull(entered, "entered is null");
      requireNonNull(renamed, "renamed is null");
    }
  }

  public Hook(
      Vertx vertx,
      Pool pool,
      DocumentStore documents,
      HookLimits limits,
      Wakeups wakeups,
      Metrics metrics) {
    HookMeters meters = new HookMeters(metrics);
    CaptureWriter writer = new CaptureWriter(pool, documents, wakeups);
    this.hooks =
        new HookHandler(
            vertx,
            new BodyReader(limits.memory(), limits.maxCaptureBytes()),
            new CombinedPuts(vertx, writer),
            new Renames(new Transactions(pool), wakeups.renamed()),
            meters);
    this.imports =
        new ImportHandler(
            vertx, writer, (int) Math.min(limits.maxCaptureBytes(), Integer.MAX_VALUE / 2), meters);
  }

  public void mount(Router router) {
    hooks.mount(router);
    imports.mount(router);
  }
}
