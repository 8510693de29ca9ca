package io.egress.api.pull;

import io.egress.platform.outage.Reason;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enters what is about to be sent to a key, so that nothing that a reader has is missing after a
 * crash. The statement that reads a page says what the primary has entered: nothing is remembered,
 * so what a failover or a restored backup has lost is entered when it is sent again, and a page
 * that brings nothing new writes nothing.
 *
 * <p>Pulls are served while the database takes no writes. A commit does not wait for a standby;
 * what cannot be entered is sent all the same, and logged, so that there is a record of it.
 * Thread-safe.
 */
final class ReadLog {
  private static final Logger log = LoggerFactory.getLogger(ReadLog.class);
  private static final Duration ENTERED_WITHIN = Duration.ofSeconds(1);

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

  /** In SQL, whether the key {@code k.id} is entered as one that reads by id. */
  static final String READS_BY_ID =
      "exists (select from readers where key_id = k.id and by_id_since is not null)";

  private final Pool pool;

  /** {@code pool} leads to the primary. */
  ReadLog(Pool pool) {
    this.pool = pool;
  }

  /**
   * In SQL, up to which position of the feed it is entered that the key {@code k.id} was sent all
   * above the position {@code after}; null if the next one is not.
   */
  static String enteredUpTo(Feed feed, String after) {
    return """
    (select max(upper(part)) - 1 from readers r cross join unnest(r.%s) as part
      where r.key_id = k.id and part @> %s::bigint + 1)\
    """
        .formatted(feed.word(), after);
  }

  /**
   * Completes when it is entered that all positions above one and up to another may be sent, or
   * cannot be entered.
   */
  Future<Void> enter(UUID keyId, Feed feed, long above, long upTo) {
    return pool.preparedQuery(ENTER.formatted(feed.word()))
        .execute(Tuple.of(keyId, above, upTo))
        .timeout(ENTERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .<Void>mapEmpty()
        .recover(failure ->
            sentAllTheSame(keyId, feed.word() + " from " + (above + 1) + " to " + upTo, failure));
  }

  /** The same for whatever the key reads by id. */
  Future<Void> enterById(UUID keyId) {
    return pool.preparedQuery(ENTER_BY_ID)
        .execute(Tuple.of(keyId))
        .timeout(ENTERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .<Void>mapEmpty()
        .recover(failure -> sentAllTheSame(keyId, "a capture by id", failure));
  }

  private static Future<Void> sentAllTheSame(UUID keyId, String what, Throwable failure) {
    log.atWarn()
        .addKeyValue("key_id", keyId)
        .log("Sent {} without entering it: {}", what, Reason.of(failure));
    return Future.succeededFuture();
  }
}
