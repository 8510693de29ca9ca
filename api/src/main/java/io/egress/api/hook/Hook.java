package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.api.relay.OwedRecord;
import io.egress.platform.flow.ByteBudget;
import io.egress.platform.flow.Patience;
import io.egress.platform.http.RequestBody;
import io.egress.platform.metrics.Metrics;
import io.egress.settings.MemoryShares;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything that enters the service: the completion hook, imports and renames. */
public final class Hook {
  private final HookHandler calls;
  private final ImportHandler imports;

  /**
   * Limits of hook and imports: memory shared by all requests, the size of one capture, and the
   * captures per second of a workspace.
   *
   * @param workspaceRate null if there is no limit
   */
  public record HookLimits(
      ByteBudget memory,
      Duration memoryWait,
      long maxCaptureBytes,
      @Nullable Integer workspaceRate,
      Patience.Terms patience) {
    public HookLimits {
      requireNonNull(memory, "memory is null");
      requireNonNull(memoryWait, "memoryWait is null");
      requireNonNull(patience, "patience is null");
    }
  }

  /**
   * Called after a commit that leaves work for others.
   *
   * @param entered called with captures that have entered the stream, and are to be published
   * @param renamed called after a rename: captures are waiting to be revised
   */
  public record Wakeups(Consumer<List<OwedRecord>> entered, Runnable renamed) {
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
    WorkspaceRate rate = new WorkspaceRate(limits.workspaceRate(), System::nanoTime);
    CaptureWriter writer = new CaptureWriter(pool, documents, wakeups);
    this.calls =
        new HookHandler(
            vertx,
            new BodyReader(
                limits.memory(),
                limits.memoryWait(),
                new RequestBody.Limits(limits.maxCaptureBytes(), limits.patience())),
            rate,
            new CombinedPuts(vertx, writer),
            new Renames(pool, documents, wakeups.renamed()),
            meters);
    this.imports = new ImportHandler(vertx, writer, limits, rate, meters);
  }

  /** The memory to reserve for a body of this many bytes. */
  public static long cost(long bodyBytes) {
    return bodyBytes * MemoryShares.PER_BODY_BYTE;
  }

  /** Single captures and names. */
  public HookHandler calls() {
    return calls;
  }

  public ImportHandler imports() {
    return imports;
  }
}
