package io.egress.bench.torture;

import io.egress.bench.age.AgedDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What a run has to leave of the aged workspaces as it was. Counted is what no rule takes within a
 * day after the first count: captures that their workspace keeps for longer, the days that the
 * delivery log still has then, and receipts of the days that it had ended.
 */
final class AgedRows {
  private static final String KEPT =
      "(w.retention_ms is null or %s > ? + interval '1 day' - w.retention_ms * interval '1 ms')";

  private static final String OF_ENDPOINTS =
      "endpoint_id in (select id from endpoints where workspace_id = any(?))";

  /** Each with the workspaces and the time of the first count. */
  private static final Map<String, String> COUNTS = new LinkedHashMap<>();

  static {
    COUNTS.put(
        "captures",
        """
        select count(*), coalesce(bit_xor(uuid_hash_extended(c.id, 0)), 0)
        from captures c join workspaces w on w.id = c.workspace_id
        where w.id = any(?) and c.erased_at is null and %s
        """
            .formatted(KEPT.formatted("c.created_at")));
    COUNTS.put(
        "positions of the stream",
        """
        select count(*), coalesce(bit_xor(uuid_hash_extended(capture_id, position)), 0)
        from stream where workspace_id = any(?) and entered_at < ?
        """);
    COUNTS.put(
        "documents",
        """
        select count(*), coalesce(bit_xor(uuid_hash_extended(d.capture_id, 0)), 0)
        from documents d join captures c on c.id = d.capture_id join workspaces w on w.id = c.workspace_id
        where w.id = any(?) and c.erased_at is null and d.length > 0 and %s
        """
            .formatted(KEPT.formatted("c.created_at")));
    COUNTS.put("deliveries", deliveries("origin = 'live'"));
    COUNTS.put("accepted deliveries", deliveries("origin = 'live' and state = 'delivered'"));
    COUNTS.put(
        "positions with a receipt",
        """
        select coalesce(sum(upper(each) - lower(each)), 0), coalesce(bit_xor(hashtextextended(r.endpoint_id || ' ' || each, 0)), 0)
        from receipts r, unnest(r.delivered) each where %s and day < (? at time zone 'UTC')::date - 30
        """
            .formatted(OF_ENDPOINTS));
  }

  private static String deliveries(String which) {
    return """
    select count(*), coalesce(bit_xor(uuid_hash_extended(id, 0)), 0) from deliveries
    where %s and day > (? at time zone 'UTC')::date - 30 and %s
    """
        .formatted(OF_ENDPOINTS, which);
  }

  /**
   * Rows of a kind.
   *
   * @param hash of which ones they are
   */
  private record Count(long rows, long hash) {}

  private final Supplier<String> databaseUrl;
  private final UUID[] workspaces;
  private final OffsetDateTime at;
  private final Map<String, Count> before;

  private AgedRows(Supplier<String> databaseUrl, AgedDatabase.Size size) throws SQLException {
    this.databaseUrl = databaseUrl;
    this.workspaces =
        IntStream.rangeClosed(0, size.workspaces())
            .mapToObj(AgedDatabase::workspace)
            .toArray(UUID[]::new);
    try (Connection connection = connect(databaseUrl.get());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select now()")) {
      row.next();
      this.at = row.getObject(1, OffsetDateTime.class);
    }
    this.before = count();
  }

  /** Counts them for the first time, before any process of the service has started. */
  static AgedRows begin(Supplier<String> databaseUrl, AgedDatabase.Size size) throws SQLException {
    return new AgedRows(databaseUrl, size);
  }

  /** What is not as it was. */
  List<String> differences() throws SQLException {
    Map<String, Count> after = count();
    List<String> differences = new ArrayList<>();
    before.forEach((kind, count) -> {
      if (!count.equals(after.get(kind))) {
        differences.add(
            "of the aged workspaces, there were %s of %s, and are %s"
                .formatted(count, kind, after.get(kind)));
      }
    });
    return differences;
  }

  @Override
  public String toString() {
    List<String> counts = new ArrayList<>();
    before.forEach((kind, count) -> counts.add("%,d %s".formatted(count.rows, kind)));
    return String.join(", ", counts);
  }

  private Map<String, Count> count() throws SQLException {
    Map<String, Count> counts = new LinkedHashMap<>();
    try (Connection connection = connect(databaseUrl.get())) {
      for (Map.Entry<String, String> each : COUNTS.entrySet()) {
        try (PreparedStatement statement = connection.prepareStatement(each.getValue())) {
          statement.setArray(1, connection.createArrayOf("uuid", workspaces));
          statement.setObject(2, at);
          try (ResultSet row = statement.executeQuery()) {
            row.next();
            counts.put(each.getKey(), new Count(row.getLong(1), row.getLong(2)));
          }
        }
      }
    }
    return counts;
  }

  /** Without the limits of the role. */
  private static Connection connect(String databaseUrl) throws SQLException {
    Connection connection = DriverManager.getConnection(Checker.jdbcUrl(URI.create(databaseUrl)));
    try (Statement statement = connection.createStatement()) {
      statement.execute("set statement_timeout = 0; set transaction_timeout = 0");
    }
    return connection;
  }
}
