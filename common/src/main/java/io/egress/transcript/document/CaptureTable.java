package io.egress.transcript.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.egress.platform.database.DamagedRows;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.capture.Segment;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The table of captures. It holds what the document does not show: what was said, and by whom, is
 * stored once, in {@code documents}, and read from there. A change of the digest costs: the next
 * call that repeats a capture stores it again.
 */
public final class CaptureTable {
  /** A capture in the form in which it is stored, and the digest of all its fields. */
  public record Entry(Capture capture, List<Short> speakers, Buffer digest) {
    public static Entry of(Capture capture) {
      return new Entry(capture, List.of(SegmentSpeakers.of(capture)), digestOf(capture));
    }

    /** Whether the capture enters the stream. */
    public boolean spoken() {
      return !capture.segments().isEmpty();
    }
  }

  /** What is compared with a capture that arrives again. */
  public record Stored(
      UUID workspaceId, Buffer digest, long revision, boolean entered, boolean erased) {}

  /** What was read of captures; of those that do not exist, nothing. */
  public record Rows(List<Row> rows, Map<UUID, Throwable> damaged) {
    /** Takes milliseconds or more; not for an event loop. */
    public Found parse() {
      Found found = new Found(new ArrayList<>(), new HashMap<>(damaged));
      for (Row row : rows) {
        try {
          found.captures().add(new RevisedCapture(capture(row), row.getLong("revision")));
        } catch (RuntimeException unreadable) {
          found.unreadable().put(row.getUUID("id"), unreadable);
        }
      }
      return found;
    }
  }

  /** The captures found; those that do not exist are in neither collection. */
  public record Found(List<RevisedCapture> captures, Map<UUID, Throwable> unreadable) {}

  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .rootValueSeparator("")
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .build();

  private static final String KEY = "captures_pkey";

  private static final String STORED =
      "select id, workspace_id, digest, revision, entered, erased_at is not null as erased"
          + " from captures where id = any($1)";
  private static final String LOCK = STORED + " order by id for no key update";

  private static final String INSERT =
      """
      insert into captures (id, workspace_id, mode, title, started_at, ended_at, duration_ms, device_id,
        speakers, members, digest, entered)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """;
  private static final String UPDATE =
      """
      update captures set mode = $3, title = $4, started_at = $5, ended_at = $6, duration_ms = $7, device_id = $8,
        speakers = $9, members = $10, digest = $11, entered = entered or $12,
        revision = revision + 1, updated_at = now()
      where id = $1 and workspace_id = $2
      """;

  private static final String SET_MEMBERS =
      """
      update captures set members = $2, revision = revision + 1, updated_at = now() where id = $1
      """;

  /**
   * A single statement reads from one snapshot, so the contents match the revision. A document that
   * is stale because of a rename says what the current one does, with other names.
   */
  private static final String SELECT =
      """
      select c.id, c.workspace_id, c.revision, c.mode, c.title, c.started_at, c.ended_at, c.duration_ms,
        c.device_id, v.name as device_name, c.speakers, %s,
        (select coalesce(json_agg(
            case when p.id is not null then json_build_array(p.id, m.name, m.email) end order by p.nth), '[]')
           from unnest(c.members) with ordinality p(id, nth)
           left join members m on m.workspace_id = c.workspace_id and m.id = p.id) as members
      from captures c
      join devices v on v.workspace_id = c.workspace_id and v.id = c.device_id
      left join documents d on d.capture_id = c.id
      where c.id = any($1) and c.erased_at is null
      """
          .formatted(DocumentStore.COLUMNS);

  private CaptureTable() {}

  public static Future<Map<UUID, Stored>> stored(SqlClient tx, Collection<UUID> ids) {
    return stored(tx, STORED, ids);
  }

  /** Locks captures in the order of their ids. */
  public static Future<Map<UUID, Stored>> lock(SqlClient tx, Collection<UUID> ids) {
    return ids.isEmpty() ? Future.succeededFuture(Map.of()) : stored(tx, LOCK, ids);
  }

  /** Inserts captures, which must be sorted by id; fails if one exists ({@link #isTaken}). */
  public static Future<Void> insert(SqlClient tx, List<Entry> entries) {
    return entries.isEmpty()
        ? Future.succeededFuture()
        : tx.preparedQuery(INSERT)
            .executeBatch(entries.stream().map(CaptureTable::row).toList())
            .mapEmpty();
  }

  /** Whether another transaction has inserted the capture meanwhile. */
  public static boolean isTaken(Throwable failure) {
    return failure instanceof PgException refused && KEY.equals(refused.getConstraint());
  }

  public static Future<Void> update(SqlClient tx, List<Entry> entries) {
    return entries.isEmpty()
        ? Future.succeededFuture()
        : tx.preparedQuery(UPDATE)
            .executeBatch(entries.stream().map(CaptureTable::row).toList())
            .mapEmpty();
  }

  /** Stores who its participants are; the next revision of its document says the rest of them. */
  public static Future<Void> setMembers(SqlClient tx, Capture capture) {
    return tx.preparedQuery(SET_MEMBERS)
        .execute(Tuple.of(capture.id()).addArrayOfUUID(members(capture)))
        .mapEmpty();
  }

  /**
   * Reads captures that were not erased, with the current names of members and devices, in no
   * particular order. A damaged capture does not prevent the others from being read.
   */
  public static Future<Rows> read(SqlClient client, Collection<UUID> ids) {
    return select(client, ids)
        .recover(failure ->
            DamagedRows.isCauseOf(failure) ? eachAlone(client, ids) : Future.failedFuture(failure));
  }

  private static Future<Map<UUID, Stored>> stored(
      SqlClient tx, String select, Collection<UUID> ids) {
    return tx.preparedQuery(select)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .map(rows -> {
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

  private static Future<Rows> select(SqlClient client, Collection<UUID> ids) {
    return client
        .preparedQuery(SELECT)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .map(found -> {
          Rows rows = new Rows(new ArrayList<>(), new HashMap<>());
          found.forEach(rows.rows()::add);
          return rows;
        });
  }

  private static Future<Rows> eachAlone(SqlClient client, Collection<UUID> ids) {
    Future<Rows> all = Future.succeededFuture(new Rows(new ArrayList<>(), new HashMap<>()));
    for (UUID id : ids) {
      all =
          all.compose(read ->
              select(client, List.of(id))
                  .transform(one -> {
                    if (one.succeeded()) {
                      read.rows().addAll(one.result().rows());
                    } else if (DamagedRows.isCauseOf(one.cause())) {
                      read.damaged().put(id, one.cause());
                    } else {
                      return Future.failedFuture(one.cause());
                    }
                    return Future.succeededFuture(read);
                  }));
    }
    return all;
  }

  private static Tuple row(Entry entry) {
    Capture capture = entry.capture();
    return Tuple.of(capture.id(), capture.workspaceId(), capture.mode().wireName(), capture.title())
        .addOffsetDateTime(capture.startedAt().atOffset(ZoneOffset.UTC))
        .addOffsetDateTime(
            capture.endedAt() == null ? null : capture.endedAt().atOffset(ZoneOffset.UTC))
        .addLong(capture.durationMs())
        .addUUID(capture.device().id())
        .addArrayOfShort(entry.speakers().toArray(Short[]::new))
        .addArrayOfUUID(members(capture))
        .addBuffer(entry.digest())
        .addBoolean(entry.spoken());
  }

  private static Capture capture(Row row) {
    DocumentText text = DocumentText.of(DocumentStore.stored(row));
    List<Participant> participants =
        participants((JsonArray) row.getJson("members"), text.participants());
    return new Capture(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        Mode.of(row.getString("mode")),
        row.getString("title"),
        text.summary(),
        row.getOffsetDateTime("started_at").toInstant(),
        instant(row.getOffsetDateTime("ended_at")),
        row.getLong("duration_ms"),
        new Device(row.getUUID("device_id"), row.getString("device_name")),
        participants,
        SegmentSpeakers.add(row.getArrayOfShorts("speakers"), participants, text.segments()));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static List<Participant> participants(JsonArray members, List<Participant> inDocument) {
    if (members.size() != inDocument.size()) {
      throw new IllegalStateException(
          "the document has " + inDocument.size() + " participants instead of " + members.size());
    }
    return IntStream.range(0, inDocument.size())
        .mapToObj(i -> inDocument.get(i).withMember(member(members.getJsonArray(i))))
        .toList();
  }

  /** The id, the name and the email. */
  private static @Nullable Member member(@Nullable JsonArray row) {
    return row == null
        ? null
        : new Member(UUID.fromString(row.getString(0)), row.getString(1), row.getString(2));
  }

  private static @Nullable UUID[] members(Capture capture) {
    return capture.participants().stream()
        .map(Participant::member)
        .map(member -> member == null ? null : member.id())
        .toArray(UUID[]::new);
  }

  /**
   * SHA-256 of all fields, with the names of device and members, which have tables of their own.
   */
  private static Buffer digestOf(Capture capture) {
    MessageDigest digest = sha256();
    try (JsonGenerator json =
        JSON.createGenerator(new DigestOutputStream(OutputStream.nullOutputStream(), digest))) {
      json.writeStartArray();
      json.writeString(capture.workspaceId().toString());
      writeText(json, capture.mode().wireName());
      writeText(json, capture.title());
      writeText(json, capture.summary());
      writeText(json, capture.startedAt());
      writeText(json, capture.endedAt());
      writeText(json, capture.durationMs());
      writeText(json, capture.device().id());
      json.writeString(capture.device().name());
      for (Participant participant : capture.participants()) {
        writeParticipant(json, participant);
      }
      json.writeEndArray();
      writeSegments(json, capture.segments());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return Buffer.buffer(digest.digest());
  }

  private static void writeSegments(JsonGenerator json, List<Segment> segments) throws IOException {
    json.writeStartArray();
    for (Segment segment : segments) {
      json.writeStartArray();
      json.writeNumber(segment.startMs());
      json.writeNumber(segment.endMs());
      json.writeString(segment.speaker());
      json.writeString(segment.text());
      json.writeEndArray();
    }
    json.writeEndArray();
  }

  private static void writeParticipant(JsonGenerator json, Participant participant)
      throws IOException {
    json.writeStartArray();
    json.writeString(participant.label());
    writeMember(json, participant.member());
    writeText(json, participant.matchConfidence());
    json.writeNumber(participant.speechMs());
    json.writeEndArray();
  }

  private static void writeMember(JsonGenerator json, @Nullable Member member) throws IOException {
    if (member != null) {
      json.writeString(member.id().toString());
      json.writeString(member.name());
      json.writeString(member.email());
    }
  }

  private static void writeText(JsonGenerator json, @Nullable Object value) throws IOException {
    json.writeString(value == null ? null : value.toString());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
