package io.egress.database;

import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Recognizes temporary failures of the database or of the connection to it. */
public final class Unavailability {
  /** SQLSTATE classes of a server that cannot answer now. */
  private static final Set<String> CLASSES = Set.of("08", "40", "53", "55", "57", "58");

  /** The server ended a transaction that took too long. */
  private static final Set<String> TIMED_OUT = Set.of("25P03", "25P04");

  private Unavailability() {}

  /** Like {@link #isCauseOf}, for exceptions of JDBC and those that wrap them. */
  public static boolean isBehind(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isCauseOf(cause)) {
        return true;
      }
    }
    return false;
  }

  /** False if the request or the code is at fault. */
  public static boolean isCauseOf(Throwable failure) {
    if (failure instanceof PgException refused) {
      return isTemporary(refused.getSqlState());
    }
    if (failure instanceof SQLException refused) {
      return isTemporary(refused.getSQLState());
    }
    return failure instanceof IOException
        || failure instanceof VertxException
        || failure instanceof TimeoutException;
  }

  private static boolean isTemporary(@Nullable String sqlState) {
    return sqlState != null
        && (CLASSES.contains(sqlState.substring(0, 2)) || TIMED_OUT.contains(sqlState));
  }
}
