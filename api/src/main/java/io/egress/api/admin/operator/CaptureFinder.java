package io.egress.api.admin.operator;

import io.egress.platform.database.Rows;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds out whose a capture is, and where it is in the stream or why it is not there. */
public final class CaptureFinder {
  private static final String FIND =
      """
      select c.workspace_id, c.title, c.revision, c.entered, c.created_at, c.updated_at,
        cardinality(c.speakers) as segments, s.position, s.entered_at,
        e.erased_at, e.erased_by, e.reason as erased_reason
      from captures c left join stream s on s.workspace_id = c.workspace_id and s.capture_id = c.id
        left join erasures e on e.capture_id = c.id
      where c.id = $1
      """;

  private final Pool pool;

  public CaptureFinder(Pool pool) {
    this.pool = pool;
  }

  /** Empty if it was never put. Erased captures are found, too. */
  public Optional<FoundCapture> find(UUID id) {
    return Rows.one(Rows.of(pool, FIND, id), row -> capture(id, row));
  }

  private static FoundCapture capture(UUID id, Row row) {
    Instant erasedAt = Rows.optionalInstant(row, "erased_at");
    Long position = row.getLong("position");
    return new FoundCapture(
        id,
        row.getUUID("workspace_id"),
        row.getString("title"),
        state(erasedAt, position, row.getBoolean("entered")),
        position,
        row.getLong("revision"),
        row.getInteger("segments"),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "updated_at"),
        Rows.optionalInstant(row, "entered_at"),
        erasedAt,
        row.getString("erased_by"),
        row.getString("erased_reason"));
  }

  private static FoundCapture.State state(
      @Nullable Instant erasedAt, @Nullable Long position, boolean entered) {
    if (erasedAt != null) {
      return FoundCapture.State.ERASED;
    }
    if (position != null) {
      return FoundCapture.State.IN_STREAM;
    }
    return entered ? FoundCapture.State.ENTERING : FoundCapture.State.WITHOUT_SEGMENTS;
  }
}
