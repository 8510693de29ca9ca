package io.egress.api.pull;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Enters what is about to be sent to a key, so that nothing that a reader has is missing after a
 * crash. What is known to be entered costs nothing: a page that brings nothing new writes nothing.
 * Thread-safe.
 */
final class SentLedger {
  private static final int KEYS_MAX = 10_000;
  private static final int PARTS_MAX = 1_000;

  private static final String ENTER =
      """
      update readers set %1$s = few_parts(%1$s + int8multirange(int8range($2, $3, '(]')))
      where key_id = $1 and not %1$s @> int8range($2, $3, '(]')
      """;

  private static final String ENTER_BY_ID =
      "update readers set by_id_since = now() where key_id = $1 and by_id_since is null";

  private record Reading(UUID keyId, Feed feed) {}

  private final Pool pool;
  private final Map<Reading, TreeMap<Long, Long>> entered = new HashMap<>();
  private final Set<UUID> byId = new HashSet<>();

  /** {@code pool} leads to the primary. */
  SentLedger(Pool pool) {
    this.pool = pool;
  }

  /** Completes when it is durable that all positions above one and up to another may be sent. */
  Future<Void> enter(UUID keyId, Feed feed, long above, long upTo) {
    Reading reading = new Reading(keyId, feed);
    if (isEntered(reading, above, upTo)) {
      return Future.succeededFuture();
    }
    return pool.preparedQuery(ENTER.formatted(feed.word()))
        .execute(Tuple.of(keyId, above, upTo))
        .onSuccess(_ -> remember(reading, above, upTo))
        .mapEmpty();
  }

  /** The same for whatever the key reads by id. */
  Future<Void> enterById(UUID keyId) {
    synchronized (this) {
      if (byId.contains(keyId)) {
        return Future.succeededFuture();
      }
    }
    return pool.preparedQuery(ENTER_BY_ID)
        .execute(Tuple.of(keyId))
        .onSuccess(_ -> rememberById(keyId))
        .mapEmpty();
  }

  private synchronized boolean isEntered(Reading reading, long above, long upTo) {
    TreeMap<Long, Long> parts = entered.get(reading);
    Map.Entry<Long, Long> part = parts == null ? null : parts.floorEntry(above);
    return part != null && part.getValue() >= upTo;
  }

  private synchronized void remember(Reading reading, long above, long upTo) {
    if (entered.size() >= KEYS_MAX) {
      entered.clear();
    }
    TreeMap<Long, Long> parts = entered.computeIfAbsent(reading, _ -> new TreeMap<>());
    if (parts.size() >= PARTS_MAX) {
      parts.clear();
    }
    long from = above;
    long to = upTo;
    Map.Entry<Long, Long> near = parts.floorEntry(to);
    while (near != null && near.getValue() >= from) {
      from = Math.min(from, near.getKey());
      to = Math.max(to, near.getValue());
      parts.remove(near.getKey());
      near = parts.floorEntry(to);
    }
    parts.put(from, to);
  }

  private synchronized void rememberById(UUID keyId) {
    if (byId.size() >= KEYS_MAX) {
      byId.clear();
    }
    byId.add(keyId);
  }
}
