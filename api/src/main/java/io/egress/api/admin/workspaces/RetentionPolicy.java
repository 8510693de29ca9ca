package io.egress.api.admin.workspaces;

import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How long the captures of workspaces are kept. */
public final class RetentionPolicy {
  /**
   * That of one workspace.
   *
   * @param retention null for good
   * @param legalHold whether nothing is erased at the moment
   */
  public record Kept(@Nullable Duration retention, boolean legalHold) {}

  private final Pool pool;
  private final @Nullable Duration standard;

  /** {@code standard} is the retention of workspaces that have none of their own. */
  public RetentionPolicy(Pool pool, @Nullable Duration standard) {
    this.pool = pool;
    this.standard = standard;
  }

  public Kept of(UUID workspaceId) {
    return Workspaces.find(pool, workspaceId, standard)
        .map(each -> new Kept(each.effectiveRetention(), each.legalHold()))
        .orElseGet(() -> new Kept(standard, false));
  }
}
