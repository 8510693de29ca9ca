package io.egress.api.call;

import io.egress.platform.http.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Verifications and exports, which take long. An owner has few of them at a time, so it never has
 * all there may be.
 */
public final class HeavyWork {
  private static final int OF_OWNER_MAX = 2;

  /** Owns what is of no workspace. */
  private static final UUID SERVICE = new UUID(0, 0);

  private final Map<UUID, Integer> running = new HashMap<>();

  public void of(@Nullable UUID workspaceId, Runnable work) {
    of(
        workspaceId,
        () -> {
          work.run();
          return true;
        });
  }

  /** Throws a {@link Refusal} if the workspace has too many running; null is the service. */
  public <T> T of(@Nullable UUID workspaceId, Supplier<T> work) {
    UUID owner = workspaceId == null ? SERVICE : workspaceId;
    begin(owner);
    try {
      return work.get();
    } finally {
      end(owner);
    }
  }

  private synchronized void begin(UUID owner) {
    int others = running.getOrDefault(owner, 0);
    if (others >= OF_OWNER_MAX) {
      throw new Refusal(
          429,
          "%d verifications or exports of %s are running already, try again when one has ended"
              .formatted(OF_OWNER_MAX, owner.equals(SERVICE) ? "the service" : "the workspace"));
    }
    running.put(owner, others + 1);
  }

  private synchronized void end(UUID owner) {
    running.computeIfPresent(owner, (_, count) -> count == 1 ? null : count - 1);
  }
}
