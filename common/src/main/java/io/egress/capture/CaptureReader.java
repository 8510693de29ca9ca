package io.egress.capture;

import static java.util.Objects.requireNonNull;

import io.egress.database.DamagedRows;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the current state of captures that were not erased, with the current names of members and
 * devices.
 */
public final class CaptureReader {
  /** A single statement reads from one snapshot, so the contents match the revision. */
  private static final String SELECT =
      """
      select c.id, c.workspace_id, c.revision, c.mode, c.title, c.summary, c.started_at, c.ended_at,
        c.duration_ms, c.device_id, d.name as device_name, c.segments::text as segments,
        (select coalesce(json_agg(json_build_array(
             p.label, p.member_id, m.name, m.email, p.match_confidence, p.speech_ms) order by p.ordinal), '[]')
           from participants p
           left join members m on m.workspace_id = p.workspace_id and m.id = p.member_id
          where p.capture_id = c.id) as participants
      from captures c
      join devices d on d.workspace_id = c.workspace_id and d.id = c.device_id
      where c.id = any($1) and c.erased_at is null
      """;

  /** The captures found; those that do not exist are in neither collection. */
  public record Found(List<RevisedCapture> captures, Map<UUID, Throwable> unreadable) {}

  private final SqlClient client;

  public CaptureReader(SqlClient client) {
    this.client = requireNonNull(client, "client is null");
  }

  /** In no particular order. A damaged capture does not prevent the others from being read. */
  public Future<Found> read(Collection<UUID> ids) {
    return select(ids)
        .recover(
            failure ->
                DamagedRows.isCauseOf(failure) ? eachAlone(ids) : Future.failedFuture(failure));
  }

  private Future<Found> select(Collection<UUID> ids) {
    return client
        .preparedQuery(SELECT)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .map(
            rows -> {
              Found found = new Found(new ArrayList<>(), new HashMap<>());
              for (Row row : rows) {
                try {
                  found.captures().add(new RevisedCapture(capture(row), row.getLong("revision")));
                } catch (RuntimeException damaged) {
                  found.unreadable().put(row.getUUID("id"), damaged);
                }
              }
              return found;
            });
  }

  private Future<Found> eachAlone(Collection<UUID> ids) {
    Future<Found> all = Future.succeededFuture(new Found(new ArrayList<>(), new HashMap<>()));
    for (UUID id : ids) {
      all =
          all.compose(
              found ->
                  select(List.of(id))
                      .transform(
                          one -> {
                            if (one.succeeded()) {
                              found.captures().addAll(one.result().captures());
                              found.unreadable().putAll(one.result().unreadable());
                            } else if (DamagedRows.isCauseOf(one.cause())) {
                              found.unreadable().put(id, one.cause());
                            } else {
                              return Future.failedFuture(one.cause());
                            }
                            return Future.succeededFuture(found);
                          }));
    }
    return all;
  }

  private static Capture capture(Row row) {
    return new Capture(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        Mode.valueOf(row.getString("mode").toUpperCase(Locale.ROOT)),
        row.getString("title"),
        row.getString("summary"),
        row.getOffsetDateTime("started_at").toInstant(),
        instant(row.getOffsetDateTime("ended_at")),
        row.getLong("duration_ms"),
        new Device(row.getUUID("device_id"), row.getString("device_name")),
        participants((JsonArray) row.getJson("participants")),
        SegmentsJson.read(row.getString("segments")));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static List<Participant> participants(JsonArray rows) {
    List<Participant> participants = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      JsonArray row = rows.getJsonArray(i);
      String memberId = row.getString(1);
      Member member =
          memberId == null
              ? null
              : new Member(UUID.fromString(memberId), row.getString(2), row.getString(3));
      participants.add(new Participant(row.getString(0), member, row.getDouble(4), row.getLong(5)));
    }
    return participants;
  }
}
