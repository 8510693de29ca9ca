package io.egress.bench.age;

import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.Device;
import io.egress.transcript.capture.Member;
import io.egress.transcript.capture.Mode;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.document.TranscriptRenderer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Renders a small document for each capture that is stored. */
final class AgedDocuments {
  private static final int AT_ONCE = 20_000;

  /** Outer joins, so that no plan pairs devices with members first. */
  private static final String CAPTURES =
      """
      select c.id, c.workspace_id, c.mode, c.title, c.started_at, c.ended_at, c.duration_ms, d.id, d.name, m.id, m.name, m.email
      from captures c left join devices d on d.workspace_id = c.workspace_id and d.id = c.device_id
        left join members m on m.workspace_id = c.workspace_id and m.id = c.members[1]
      """;

  private static final String WRITE =
      """
      insert into documents (capture_id, revision, renderer, length, crc32, checksum, deflated)
      select id, 1, %d, length, crc32, checksum, deflated
      from unnest(?::uuid[], ?::bigint[], ?::integer[], ?::integer[], ?::bytea[]) as d(id, length, crc32, checksum, deflated)
      """
          .formatted(TranscriptRenderer.VERSION);

  private static final TranscriptRenderer RENDERER = new TranscriptRenderer();

  private AgedDocuments() {}

  /** Reads captures with one connection and writes documents with the other one. */
  static void write(Connection reading, Connection writing) throws SQLException {
    reading.setAutoCommit(false);
    try (Statement statement = reading.createStatement()) {
      statement.setFetchSize(AT_ONCE);
      try (ResultSet rows = statement.executeQuery(CAPTURES)) {
        List<Capture> captures = new ArrayList<>(AT_ONCE);
        while (rows.next()) {
          captures.add(capture(rows));
          if (captures.size() == AT_ONCE) {
            write(writing, captures);
            captures.clear();
          }
        }
        write(writing, captures);
      }
    } finally {
      reading.rollback();
      reading.setAutoCommit(true);
    }
  }

  private static void write(Connection writing, List<Capture> captures) throws SQLException {
    List<Fragment> fragments =
        captures.parallelStream().map(each -> Fragment.deflate(RENDERER.render(each))).toList();
    try (PreparedStatement statement = writing.prepareStatement(WRITE)) {
      set(statement, 1, "uuid", captures.stream().map(Capture::id).toArray(UUID[]::new));
      set(statement, 2, "int8", fragments.stream().map(Fragment::length).toArray(Long[]::new));
      set(statement, 3, "int4", fragments.stream().map(Fragment::crc32).toArray(Integer[]::new));
      set(statement, 4, "int4", fragments.stream().map(Fragment::checksum).toArray(Integer[]::new));
      set(
          statement,
          5,
          "bytea",
          fragments.stream().map(each -> each.deflated().getBytes()).toArray(byte[][]::new));
      statement.executeUpdate();
    }
  }

  private static void set(PreparedStatement statement, int index, String type, Object[] column)
      throws SQLException {
    statement.setArray(index, statement.getConnection().createArrayOf(type, column));
  }

  private static Capture capture(ResultSet row) throws SQLException {
    Member member = new Member(row.getObject(10, UUID.class), row.getString(11), row.getString(12));
    return new Capture(
        row.getObject(1, UUID.class),
        row.getObject(2, UUID.class),
        Mode.of(row.getString(3)),
        row.getString(4),
        "What was said.",
        row.getTimestamp(5).toInstant(),
        row.getTimestamp(6).toInstant(),
        row.getLong(7),
        new Device(row.getObject(8, UUID.class), row.getString(9)),
        List.of(
            new Participant("S1", member, 0.9, 60_000), new Participant("S2", null, null, 40_000)),
        List.of(
            new Segment(0, 60_000, "S1", "Shall we begin with the numbers of last week?"),
            new Segment(60_000, 100_000, "S2", "They are in the report that I sent you.")));
  }
}
