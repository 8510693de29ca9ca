package io.egress.transcript.stream;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/**
 * The stream's advisory lock, held to assign positions or to read exactly which ones are assigned.
 */
public final class StreamLock {
  /** "egress" in ASCII. */
  public static final long KEY = 0x65_67_72_65_73_73L;

  private static final String LOCK = "select pg_advisory_xact_lock($1)";

  private StreamLock() {}

  /**
   * Held until the transaction ends. It is a statement of its own because a statement's snapshot is
   * taken before it waits: only the next statement sees everything that earlier holders did.
   */
  public static Future<Void> take(SqlConnection transaction) {
    return transaction.preparedQuery(LOCK).execute(Tuple.of(KEY)).mapEmpty();
  }
}
