package io.egress.api.hook;

import io.egress.capture.Capture;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The SQL for captures, their participants and the stream's inbox. Captures are locked in order of
 * their ids.
 */
final class CaptureRows {
  /** The stored columns of a capture that existed before. */
  record Stored(UUID workspaceId, Buffer digest, long revision, boolean entered, boolean erased) {}

  private static final String READ =
      "select id, workspace_id, digest, revision, entered, erased_at is not null as erased"
          + " from captures where id = any($1)";
  private static final String LOCK = READ + " order by id for no key update";

  private static final String INSERT =
      """
      insert into captures (id, workspace_id, device_id, mode, title, summary, started_at, ended_at,
        duration_ms, segments, digest, entered)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::json, $11, $12)
      on conflict (id) do nothing
      """;
  private static final String UPDATE =
      """
      update captures set device_id = $3, mode = $4, title = $5, summary = $6, started_at = $7, ended_at = $8,
        duration_ms = $9, segments = $10::text::json, digest = $11, entered = entered or $12,
        revision = revision + 1, updated_at = now()
      where id = $1 and workspace_id = $2
      """;
  private static final String CLEAR_PARTICIPANTS =
      "delete from participants where capture_id = any($1)";
  private static final String ADD_PARTICIPANTS =
      """
      insert into participants (capture_id, label, ordinal, workspace_id, member_id, match_confidence, speech_ms)
      select * from unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], $5::uuid[], $6::float8[], $7::int8[])
      """;
  private static final String ENTER =
      """
      insert into stream_inbox (capture_id, workspace_id, traceparent)
      select capture_id, workspace_id, traceparent
      from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
        as finished(capture_id, workspace_id, traceparent, nth)
      order by nth
      """;

  Future<Map<UUID, Stored>> read(SqlConnection tx, Collection<UUID> ids) {
    return stored(tx, READ, ids);
  }

  Future<Map<UUID, Stored>> lock(SqlConnection tx, Collection<UUID> ids) {
    return ids.isEmpty() ? Future.succeededFuture(Map.of()) : stored(tx, LOCK, ids);
  }

  /** Returns the ids of those inserted. {@code captures} must be sorted by id. */
  Future<Set<UUID>> insert(SqlConnection tx, List<IncomingCapture> captures) {
    return tx.preparedQuery(INSERT)
        .executeBatch(captures.stream().map(CaptureRows::columns).toList())
        .map(
            results -> {
              Set<UUID> created = new HashSet<>();
              RowSet<Row> result = results;
              for (IncomingCapture capture : captures) {
                if (result.rowCount() == 1) {
                  created.add(capture.capture().id());
                }
                result = result.next();
              }
              return created;
            });
  }

  Future<Void> update(SqlConnection tx, List<IncomingCapture> captures) {
    if (captures.isEmpty()) {
      return Future.succeededFuture();
    }
    UUID[] ids = captures.stream().map(incoming -> incoming.capture().id()).toArray(UUID[]::new);
    return tx.preparedQuery(UPDATE)
        .executeBatch(captures.stream().map(CaptureRows::columns).toList())
        .compose(done -> tx.preparedQuery(CLEAR_PARTICIPANTS).execute(Tuple.of(ids)))
        .mapEmpty();
  }

  Future<Void> addParticipants(SqlConnection tx, List<IncomingCapture> captures) {
    ParticipantColumns columns = ParticipantColumns.of(captures);
    return columns.isEmpty()
        ? Future.succeededFuture()
        : tx.preparedQuery(ADD_PARTICIPANTS).execute(columns.addTo(Tuple.tuple())).mapEmpty();
  }

  /** Adds captures to the stream's inbox, in the given order. */
  Future<Void> enter(SqlConnection tx, List<IncomingCapture> captures) {
    if (captures.isEmpty()) {
      return Future.succeededFuture();
    }
    List<Capture> finished = captures.stream().map(IncomingCapture::capture).toList();
    return tx.preparedQuery(ENTER)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(finished.stream().map(Capture::id).toArray(UUID[]::new))
                .addArrayOfUUID(finished.stream().map(Capture::workspaceId).toArray(UUID[]::new))
                .addValue(traceparents(captures)))
        .mapEmpty();
  }

  /** Null if none is traced, which is the usual case. */
  static String @Nullable [] traceparents(List<IncomingCapture> captures) {
    return captures.stream().allMatch(incoming -> incoming.traceparent() == null)
        ? null
        : captures.stream().map(IncomingCapture::traceparent).toArray(String[]::new);
  }

  private static Future<Map<UUID, Stored>> stored(
      SqlConnection tx, String select, Collection<UUID> ids) {
    return tx.preparedQuery(select)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .map(
            rows -> {
              Map<UUID, Stored> stored = new HashMap<>();
              for (Row row : rows) {
                stored.put(
                    row.getUUID("id"),
                    new Stored(
                        row.getUUID("workspace_id"),
                        row.getBuffer("digest"),
                        row.getLong("revision"),
                        row.getBoolean("entered"),
                        row.getBoolean("erased")));
              }
              return stored;
            });
  }

  private static Tuple columns(IncomingCapture incoming) {
    Capture capture = incoming.capture();
    return Tuple.wrap(
        new Object[] {
          capture.id(),
          capture.workspaceId(),
          capture.device().id(),
          capture.mode().wireName(),
          capture.title(),
          capture.summary(),
          utc(capture.startedAt()),
          utc(capture.endedAt()),
          capture.durationMs(),
          incoming.segmentsJson(),
          incoming.digest(),
          incoming.spoken()
        });
  }

  static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
