package io.egress.api.hook;

import io.egress.platform.http.RequestLifetime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Delays the batches of an import as far as {@link WorkspaceRate} demands. */
final class ImportPace {
  private static final Duration LOOKS_APART = Duration.ofMillis(50);

  private final Vertx vertx;
  private final WorkspaceRate rate;
  private final HookMeters meters;

  ImportPace(Vertx vertx, WorkspaceRate rate, HookMeters meters) {
    this.vertx = vertx;
    this.rate = rate;
    this.meters = meters;
  }

  /**
   * Completes when captures of these workspaces may be put in. The client is not told, and no clock
   * of the request runs meanwhile; fails when there is nobody left to answer.
   */
  Future<Void> await(List<UUID> workspaceIds, RequestLifetime lifetime) {
    Map<UUID, Integer> missing = new HashMap<>();
    workspaceIds.forEach(id -> missing.merge(id, 1, Integer::sum));
    if (take(missing)) {
      return Future.succeededFuture();
    }
    meters.importDelayed();
    lifetime.hold(() -> {});
    return again(missing, lifetime).onComplete(_ -> lifetime.resume());
  }

  private Future<Void> again(Map<UUID, Integer> missing, RequestLifetime lifetime) {
    return vertx
        .timer(LOOKS_APART.toMillis(), TimeUnit.MILLISECONDS)
        .compose(_ -> {
          if (lifetime.cutShort().isComplete()) {
            return lifetime.cutShort();
          }
          return take(missing) ? Future.succeededFuture() : again(missing, lifetime);
        });
  }

  /** Whether nothing is missing anymore. */
  private boolean take(Map<UUID, Integer> missing) {
    missing.replaceAll((id, count) -> count - rate.admitsImported(id, count));
    missing.values().removeIf(count -> count == 0);
    return missing.isEmpty();
  }
}
