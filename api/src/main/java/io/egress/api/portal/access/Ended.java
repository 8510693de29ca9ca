package io.egress.api.portal.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That a workspace has ended.
 *
 * @param emptiedAt when its last capture was erased; null while that goes on
 */
public record Ended(Instant at, @Nullable Instant emptiedAt) {
  static @Nullable Ended of(@Nullable Instant at, @Nullable Instant emptiedAt) {
    return at == null ? null : new Ended(at, emptiedAt);
  }
}
