package io.egress.platform.database;

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

  /** A standby, or a primary that was demoted or made read-only. */
  private static final String READ_ONLY = "25006";

  /** In addition to the classes: read-only, or a transaction that took too long was ended. */
  private static final Set<String> STATES = Set.of(READ_ONLY, "25P03", "25P04");

  /** The server refuses connections, or has ended one. */
  private static final Set<String> CONNECTION_ENDS = Set.of("08", "57P");

  /** SQLSTATE classes: the password or account is wrong, or the database does not exist. */
  private static final Set<String> ACCOUNT = Set.of("28", "3D");

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
    return failure instanceof NoServerException || isOfClient(failure);
  }

  /** Whether there is no other server than ones that answered that they take no writes. */
  public static boolean isOnlyOfWrites(@Nullable Throwable failure) {
    return failure instanceof NoServerException none && none.answered();
  }

  /** Whether the server rejected a write because it takes none at the moment. */
  static boolean isReadOnly(Throwable failure) {
    return failure instanceof PgException refused && READ_ONLY.equals(refused.getSqlState());
  }

  /** Whether an account or a database of the URL is not accepted, which waiting does not change. */
  static boolean isOfAccount(@Nullable String sqlState) {
    return sqlState != null && ACCOUNT.contains(sqlState.substring(0, 2));
  }

  /** Whether the connection failed, or the server behind it has ended. */
  static boolean isOfConnection(Throwable failure) {
    if (failure instanceof PgException refused) {
      String state = String.valueOf(refused.getSqlState());
      return CONNECTION_ENDS.stream().anyMatch(state::startsWith);
    }
    return isOfClient(failure);
  }

  private static boolean isOfClient(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof VertxException
        || failure instanceof TimeoutException;
  }

  private static boolean isTemporary(@Nullable String sqlState) {
    return sqlState != null
        && (CLASSES.contains(sqlState.substring(0, 2)) || STATES.contains(sqlState));
  }
}
