package io.egress.api.hook;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The captures that get a position in the stream with the next sweep. */
final class StreamInbox {
  private static final String ADD =
      """
      insert into stream_inbox (capture_id, workspace_id, traceparent)
      select capture_id, workspace_id, traceparent
      from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
        as finished(capture_id, workspace_id, traceparent, nth)
      order by nth
      """;

  private StreamInbox() {}

  /** Adds captures in the given order. */
  static Future<Void> add(SqlClient tx, List<IncomingCapture> captures) {
    if (captures.isEmpty()) {
      return Future.succeededFuture();
    }
    return tx.preparedQuery(ADD)
        .execute(
            Tuple.of(
                captures.stream().map(each -> each.capture().id()).toArray(UUID[]::new),
                captures.stream().map(each -> each.capture().workspaceId()).toArray(UUID[]::new),
                traceparents(captures)))
        .mapEmpty();
  }

  /** Null if none is traced, which is the usual case. */
  private static String @Nullable [] traceparents(List<IncomingCapture> captures) {
    return captures.stream().allMatch(incoming -> incoming.traceparent() == null)
        ? null
        : captures.stream().map(IncomingCapture::traceparent).toArray(String[]::new);
  }
}
