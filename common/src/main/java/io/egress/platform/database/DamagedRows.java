package io.egress.platform.database;

import io.vertx.pgclient.PgException;
import org.jspecify.annotations.Nullable;

/** Recognizes failures caused by the content of a row, not by the server or the network. */
public final class DamagedRows {
  /** SQLSTATE classes: data exceptions, and corrupted data or indexes. */
  private static final String DATA_EXCEPTION = "22";

  private static final String CORRUPTED = "XX";

  private DamagedRows() {}

  /** Whether repeating the statement for the same rows is bound to fail. */
  public static boolean isCauseOf(@Nullable Throwable failure) {
    if (!(failure instanceof PgException refused) || refused.getSqlState() == null) {
      return false;
    }
    String state = refused.getSqlState();
    return state.startsWith(DATA_EXCEPTION) || state.startsWith(CORRUPTED);
  }
}
