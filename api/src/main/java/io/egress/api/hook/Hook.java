package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.database.Transactions;
import io.egress.document.DocumentStore;
import io.egress.flow.ByteBudget;
import io.egress.flow.Patience;
import io.egress.http.RequestBody;
import io.egress.metrics.Metrics;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;

/** Everything that goes into the service: the completion hook, imports and renames. */
public final class Hook {
  /**
   * What a byte of a body costs at most until its capture is committed: received, parsed,
   * serialized, rendered and compressed. The worst are long texts beyond Latin-1 that do not
   * compress, at 14.
   */
  private static final int COST_PER_BYTE = 16;

  private final HookHandler calls;
  private final ImportHandler imports;

  /** What hook and imports may take: of memory shared by all, and for one capture. */
  public record HookLimits(
      ByteBudget memory, Duration memoryWait, long maxCaptureBytes, Patience.Terms patience) {
    public HookLimits {
      requireNonNull(memory, "memory is null");
      requireNonNull(memoryWait, "memoryWait is null");
      requireNonNull(patience, "patience is null");
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
    this.calls =
        new HookHandler(
            vertx,
            new BodyReader(
                vertx,
                limits.memory(),
                limits.memoryWait(),
                new RequestBody.Limits(limits.maxCaptureBytes(), limits.patience())),
            new CombinedPuts(vertx, writer),
            new Renames(new Transactions(pool), wakeups.renamed()),
            meters);
    this.imports = new ImportHandler(vertx, writer, limits, meters);
  }

  /** Memory that a body of so many bytes takes. */
  public static long cost(long bodyBytes) {
    return bodyBytes * COST_PER_BYTE;
  }

  /** Single captures and names. */
  public HookHandler calls() {
    return calls;
  }

  public ImportHandler imports() {
    return imports;
  }
}
