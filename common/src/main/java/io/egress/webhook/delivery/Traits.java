package io.egress.webhook.delivery;

import io.egress.platform.database.Rows;
import io.egress.transcript.capture.Mode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link StreamFilter} looks at: what a capture was when it entered the stream.
 *
 * @param mode null for one that only a later release knows
 */
public record Traits(@Nullable Mode mode, UUID deviceId) {
  /** Of the rows {@code s} of {@code stream}; earlier releases have not recorded them there. */
  static final String COLUMNS =
      "coalesce(s.mode, (select mode from captures where id = s.capture_id)) as mode,"
          + " coalesce(s.device_id, (select device_id from captures where id = s.capture_id))"
          + " as device_id";

  private static final String READ =
      "select s.capture_id as id, " + COLUMNS + " from stream s where s.capture_id = any($1)";

  static Traits of(Row row) {
    return new Traits(Mode.find(row.getString("mode")).orElse(null), row.getUUID("device_id"));
  }

  /** Keyed by capture id. */
  public static Future<Map<UUID, Traits>> read(SqlClient client, Collection<UUID> captureIds) {
    return client
        .preparedQuery(READ)
        .execute(Tuple.tuple().addArrayOfUUID(captureIds.toArray(UUID[]::new)))
        .map(rows -> Rows.byId(rows, Traits::of));
  }
}
