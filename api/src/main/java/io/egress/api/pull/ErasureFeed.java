package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.api.admin.keys.KeyUse;
import io.egress.api.intake.QueryValues;
import io.egress.platform.http.HttpExchange;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestLog;
import io.egress.platform.json.UtcInstant;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The erasures of a workspace, for readers that delete what they have read. They have a cursor of
 * their own with the promise of the stream's: erasures become visible in the order of their
 * numbers, because the row of {@code erasure_heads} is locked until they are.
 */
public final class ErasureFeed {
  private static final String PAGE =
      """
      with access as (
        select k.id as key_id, k.workspace_id, coalesce(h.number, 0) as head, $2::bigint = 0 or exists (
          select from erasures where workspace_id = k.workspace_id and number = $2 and chain = $3) as follows
        from api_keys k left join erasure_heads h on h.workspace_id = k.workspace_id
        where k.hash = $1 and (k.expires_at is null or k.expires_at > now()))
      select a.key_id, a.head, a.follows, e.number, e.chain, e.capture_id, e.erased_at, e.reason
      from access a
      left join lateral (
        select * from (
          select * from erasures where a.follows and workspace_id = a.workspace_id and number > $2
          order by number limit %d) as page_max
        order by number limit $4) e on true
      order by e.number
      """
          .formatted(QueryValues.LIMIT_MAX);

  private final Pool pool;
  private final KeyUse keyUse;

  public ErasureFeed(Pool pool, KeyUse keyUse) {
    this.pool = pool;
    this.keyUse = keyUse;
  }

  /** Sends a page of erasures, oldest first. */
  public void list(RoutingContext ctx) {
    page(ctx)
        .onSuccess(page -> HttpExchange.sendJson(ctx, 200, page))
        .onFailure(failure -> HttpExchange.fail(ctx, failure));
  }

  private Future<JsonObject> page(RoutingContext ctx) {
    Optional<ApiKey> key = PullHandler.key(ctx);
    if (key.isEmpty()) {
      return Future.failedFuture(PullHandler.unknownKey());
    }
    try {
      return read(
          ctx,
          key.get(),
          QueryValues.limit(ctx.queryParams()),
          PageRequest.after(ctx.queryParams().getAll("after")));
    } catch (Refusal refused) {
      return PullStore.knows(pool, key.get())
          .compose(known -> Future.failedFuture(known ? refused : PullHandler.unknownKey()));
    }
  }

  private Future<JsonObject> read(
      RoutingContext ctx, ApiKey key, int limit, @Nullable Cursor after) {
    return pool.preparedQuery(PAGE)
        .execute(
            Tuple.of(
                Buffer.buffer(key.hash()),
                after == null ? 0 : after.position(),
                after == null ? 0 : after.chain(),
                (long) limit))
        .map(rows -> {
          if (rows.size() == 0) {
            throw PullHandler.unknownKey();
          }
          Row first = rows.iterator().next();
          keyUse.note(first.getUUID("key_id"));
          RequestLog.keyUsed(ctx, first.getUUID("key_id"));
          if (!first.getBoolean("follows")) {
            throw PageRequest.otherHistory();
          }
          return json(rows, first.getLong("head"));
        });
  }

  private static JsonObject json(RowSet<Row> rows, long head) {
    JsonArray erasures = new JsonArray();
    Cursor end = null;
    for (Row row : rows) {
      if (row.getLong("number") != null) {
        end = new Cursor(row.getLong("number"), row.getLong("chain"));
        erasures.add(
            new JsonObject()
                .put("id", row.getUUID("capture_id").toString())
                .put("erased_at", UtcInstant.format(row.getOffsetDateTime("erased_at").toInstant()))
                .put("reason", row.getString("reason")));
      }
    }
    return new JsonObject()
        .put("erasures", erasures)
        .put(
            "pageInfo",
            new JsonObject()
                .put("endCursor", end == null ? null : end.encode())
                .put("hasNextPage", end != null && end.position() < head));
  }
}
