package io.egress.document;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.egress.capture.Capture;
import io.egress.capture.Device;
import io.egress.capture.Member;
import io.egress.capture.Mode;
import io.egress.capture.Participant;
import io.egress.capture.RevisedCapture;
import io.egress.capture.Segment;
import io.egress.database.DamagedRows;
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
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of captures and participants. They hold what the document does not show: what was said
 * is stored once, in {@code documents}, and read from there. The statements and the digest are made
 * from one list of columns for each. A new column changes the digests of its captures: the next
 * call that repeats one of them stores it again.
 */
public final class CaptureTable {
  private record Column(String name, Function<Capture, @Nullable Object> value) {}

  private record ParticipantColumn(
      String name,
      String type,
      IntFunction<Object[]> array,
      Function<Participant, @Nullable Object> value) {}

  /** Shown by documents as it was given. */
  private static final Column SUMMARY = new Column("summary", Capture::summary);

  /** In addition to the id and the workspace, which never change, and to the segments. */
  private static final List<Column> COMPARED =
      List.of(
          new Column("mode", capture -> capture.mode().wireName()),
          new Column("title", Capture::title),
          SUMMARY,
          new Column("started_at", Capture::startedAt),
          new Column("ended_at", Capture::endedAt),
          new Column("duration_ms", Capture::durationMs),
          new Column("device_id", capture -> capture.device().id()));

  private static final List<Column> COLUMNS =
      COMPARED.stream().filter(column -> !column.equals(SUMMARY)).toList();

  private static final ParticipantColumn MEMBER =
      new ParticipantColumn("member_id", "uuid", UUID[]::new, CaptureTable::memberId);

  private static final List<ParticipantColumn> PARTICIPANT_COLUMNS =
      List.of(
          new ParticipantColumn("label", "text", String[]::new, Participant::label),
          MEMBER,
          new ParticipantColumn(
              "match_confidence", "float8", Double[]::new, Participant::matchConfidence),
          new ParticipantColumn("speech_ms", "int8", Long[]::new, Participant::speechMs));

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

  private static final int FIRST = 3;
  private static final int SPEAKERS = FIRST + COLUMNS.size();

  private static final String INSERT =
      """
      insert into captures (id, workspace_id, %s, speakers, digest, entered)
      values ($1, $2, %s, $%d, $%d, $%d)
      """
          .formatted(
              names(""),
              IntStream.range(FIRST, SPEAKERS).mapToObj(i -> "$" + i).collect(joining(", ")),
              SPEAKERS,
              SPEAKERS + 1,
              SPEAKERS + 2);
  private static final String UPDATE =
      """
      update captures set %s, speakers = $%d, digest = $%d, entered = entered or $%d,
        revision = revision + 1, updated_at = now()
      where id = $1 and workspace_id = $2
      """
          .formatted(
              IntStream.range(0, COLUMNS.size())
                  .mapToObj(i -> COLUMNS.get(i).name() + " = $" + (FIRST + i))
                  .collect(joining(", ")),
              SPEAKERS,
              SPEAKERS + 1,
              SPEAKERS + 2);

  private static final String CLEAR_PARTICIPANTS =
      "delete from participants where capture_id = any($1)";
  private static final String ADD_PARTICIPANTS =
      """
      insert into participants (capture_id, ordinal, workspace_id, %s)
      select * from unnest($1::uuid[], $2::int[], $3::uuid[], %s)
      """
          .formatted(
              participantNames(""),
              IntStream.range(0, PARTICIPANT_COLUMNS.size())
                  .mapToObj(i -> "$" + (4 + i) + "::" + PARTICIPANT_COLUMNS.get(i).type() + "[]")
                  .collect(joining(", ")));

  /**
   * A single statement reads from one snapshot, so the contents match the revision. A document that
   * is stale because of a rename says what the current one does, with other names.
   */
  private static final String SELECT =
      """
      select c.id, c.workspace_id, c.revision, %s, v.name as device_name, c.speakers, %s,
        (select coalesce(json_agg(json_build_array(m.name, m.email, %s) order by p.ordinal), '[]')
           from participants p
           left join members m on m.workspace_id = p.workspace_id and m.id = p.member_id
          where p.capture_id = c.id) as participants
      from captures c
      join devices v on v.workspace_id = c.workspace_id and v.id = c.device_id
      left join documents d on d.capture_id = c.id
      where c.id = any($1) and c.erased_at is null
      """
          .formatted(names("c."), DocumentStore.COLUMNS, participantNames("p."));

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

  /** Updates captures and removes their participants. */
  public static Future<Void> update(SqlClient tx, List<Entry> entries) {
    if (entries.isEmpty()) {
      return Future.succeededFuture();
    }
    UUID[] ids = entries.stream().map(entry -> entry.capture().id()).toArray(UUID[]::new);
    return Future.join(
            tx.preparedQuery(UPDATE).executeBatch(entries.stream().map(CaptureTable::row).toList()),
            tx.preparedQuery(CLEAR_PARTICIPANTS).execute(Tuple.of(ids)))
        .mapEmpty();
  }

  /** Participants are stored in their order: all of one column are one parameter. */
  public static Future<Void> addParticipants(SqlClient tx, List<Entry> entries) {
    List<UUID> captureIds = new ArrayList<>();
    List<UUID> workspaceIds = new ArrayList<>();
    List<Participant> participants = new ArrayList<>();
    for (Entry entry : entries) {
      for (Participant participant : entry.capture().participants()) {
        captureIds.add(entry.capture().id());
        workspaceIds.add(entry.capture().workspaceId());
        participants.add(participant);
      }
    }
    if (participants.isEmpty()) {
      return Future.succeededFuture();
    }
    Tuple columns =
        Tuple.of(
            captureIds.toArray(UUID[]::new),
            IntStream.range(0, participants.size()).boxed().toArray(Integer[]::new),
            workspaceIds.toArray(UUID[]::new));
    for (ParticipantColumn column : PARTICIPANT_COLUMNS) {
      columns.addValue(participants.stream().map(column.value()).toArray(column.array()));
    }
    return tx.preparedQuery(ADD_PARTICIPANTS).execute(columns).mapEmpty();
  }

  /**
   * Reads captures that were not erased, with the current names of members and devices, in no
   * particular order. A damaged capture does not prevent the others from being read.
   */
  public static Future<Found> read(SqlClient client, Collection<UUID> ids) {
    return select(client, ids)
        .recover(
            failure ->
                DamagedRows.isCauseOf(failure)
                    ? eachAlone(client, ids)
                    : Future.failedFuture(failure));
  }

  private static Future<Map<UUID, Stored>> stored(
      SqlClient tx, String select, Collection<UUID> ids) {
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

  private static Future<Found> select(SqlClient client, Collection<UUID> ids) {
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

  private static Future<Found> eachAlone(SqlClient client, Collection<UUID> ids) {
    Future<Found> all = Future.succeededFuture(new Found(new ArrayList<>(), new HashMap<>()));
    for (UUID id : ids) {
      all =
          all.compose(
              found ->
                  select(client, List.of(id))
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

  private static Tuple row(Entry entry) {
    Capture capture = entry.capture();
    List<@Nullable Object> row = new ArrayList<>(SPEAKERS + 2);
    row.add(capture.id());
    row.add(capture.workspaceId());
    for (Column column : COLUMNS) {
      Object value = column.value().apply(capture);
      row.add(value instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : value);
    }
    row.add(entry.speakers().toArray(Short[]::new));
    row.add(entry.digest());
    row.add(entry.spoken());
    return Tuple.wrap(row);
  }

  private static Capture capture(Row row) {
    List<Participant> participants = participants((JsonArray) row.getJson("participants"));
    DocumentText said = DocumentText.of(DocumentStore.stored(row));
    return new Capture(
        row.getUUID("id"),
        row.getUUID("workspace_id"),
        Mode.valueOf(row.getString("mode").toUpperCase(Locale.ROOT)),
        row.getString("title"),
        said.summary(),
        row.getOffsetDateTime("started_at").toInstant(),
        instant(row.getOffsetDateTime("ended_at")),
        row.getLong("duration_ms"),
        new Device(row.getUUID("device_id"), row.getString("device_name")),
        participants,
        SegmentSpeakers.add(row.getArrayOfShorts("speakers"), participants, said.segments()));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static List<Participant> participants(JsonArray rows) {
    return IntStream.range(0, rows.size())
        .mapToObj(i -> participant(rows.getJsonArray(i)))
        .toList();
  }

  /** The member's name and email, then the columns of the participant. */
  private static Participant participant(JsonArray row) {
    String id = row.getString(3);
    Member member =
        id == null ? null : new Member(UUID.fromString(id), row.getString(0), row.getString(1));
    return new Participant(row.getString(2), member, row.getDouble(4), row.getLong(5));
  }

  private static @Nullable UUID memberId(Participant participant) {
    Member member = participant.member();
    return member == null ? null : member.id();
  }

  private static String names(String prefix) {
    return COLUMNS.stream().map(column -> prefix + column.name()).collect(joining(", "));
  }

  private static String participantNames(String prefix) {
    return PARTICIPANT_COLUMNS.stream()
        .map(column -> prefix + column.name())
        .collect(joining(", "));
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
      for (Column column : COMPARED) {
        writeText(json, column.value().apply(capture));
      }
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
    for (ParticipantColumn column : PARTICIPANT_COLUMNS) {
      Object value = column.value().apply(participant);
      if (MEMBER.equals(column)) {
        writeMember(json, participant.member());
      } else if (value instanceof Long number) {
        json.writeNumber(number);
      } else {
        writeText(json, value);
      }
    }
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
