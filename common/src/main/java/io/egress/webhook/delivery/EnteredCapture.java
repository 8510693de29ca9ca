package io.egress.webhook.delivery;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A capture in its place in the stream.
 *
 * @param traits null if no filter looks at them, or if the database does not have the capture
 */
public record EnteredCapture(
    long position, UUID captureId, Instant enteredAt, @Nullable Traits traits) {
  /** Of the rows {@code s} of {@code stream}. */
  public static final String COLUMNS = "s.position, s.capture_id, s.entered_at, " + Traits.COLUMNS;

  public static EnteredCapture of(Row row) {
    return new EnteredCapture(
        row.getLong("position"),
        row.getUUID("capture_id"),
        Rows.instant(row, "entered_at"),
        Traits.of(row));
  }
}
