package io.egress.api.pull;

import io.egress.platform.outage.Reason;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters what is about to be sent to a key, so that nothing that a reader has is missing after a
 * crash. What is known to be entered costs nothing: a page that brings nothing new writes nothing.
 *
 * <p>Pulls are served while the database takes no writes. A commit does not wait for a standby;
 * what cannot be entered is sent all the same, and logged, so that there is a record of it.
 * Thread-safe.
 */
final class SentLedger {
  private static final Logger log = LoggerFactory.getLogger(SentLedger.class);
  private static final Duration ENTERED_WITHIN = Duration.ofSeconds(1);
  private static final int KEYS_MAX = 10_000;
  private static final int PARTS_MAX = 1_000;

  private static final String ENTER =
      """
      with now as materialized (select set_config('synchronous_commit', 'local', true))
      update readers set %1$s = few_parts(%1$s + int8multirange(int8range($2, $3, '(]'))) from now
      where key_id = $1 and not %1$s @> int8range($2, $3, '(]')
      """;

  private static final String ENTER_BY_ID =
      """
      with now as materialized (select set_config('synchronous_commit', 'local', true))
      update readers set by_id_since = now() from now where key_id = $1 and by_id_since is null
      """;

  private record Reading(UUID keyId, Feed feed) {}

  private final Pool pool;
  private final Map<Reading, TreeMap<Long, Long>> entered = new HashMap<>();
  private final Set<UUID> byId = new HashSet<>();

  /** {@code pool} leads to the primary. */
  SentLedger(Pool pool) {
    this.pool = pool;
  }

  /**
   * Completes when it is entered that all positions above one and up to another may be sent.
   *
   * @param expected up to which position it is entered if it was not: more may follow
   */
  Future<Void> enter(UUID keyId, Feed feed, long above, long upTo, long expected) {
    Reading reading = new Reading(keyId, feed);
    if (isEntered(reading, above, upTo)) {
      return Future.succeededFuture();
    }
    return pool.preparedQuery(ENTER.formatted(feed.word()))
        .execute(Tuple.of(keyId, above, expected))
        .timeout(ENTERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .<Void>mapEmpty()
        .onSuccess(_ -> remember(reading, above, expected))
        .recover(failure ->
            sentAllTheSame(keyId, feed.word() + " from " + (above + 1) + " to " + upTo, failure));
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
        .timeout(ENTERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .<Void>mapEmpty()
        .onSuccess(_ -> rememberById(keyId))
        .recover(failure -> sentAllTheSame(keyId, "a capture by id", failure));
  }

  private static Future<Void> sentAllTheSame(UUID keyId, String what, Throwable failure) {
    log.atWarn()
        .addKeyValue("key_id", keyId)
        .log("Sent {} without entering it: {}", what, Reason.of(failure));
    return Future.succeededFuture();
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
