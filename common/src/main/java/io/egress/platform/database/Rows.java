package io.egress.platform.database;

import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parameters and rows of statements. */
public final class Rows {
  private Rows() {}

  /** Runs a statement; for virtual threads, which wait for the answer. */
  public static RowSet<Row> of(SqlClient client, String sql, @Nullable Object... parameters) {
    return client.preparedQuery(sql).execute(parameters(parameters)).await();
  }

  /** Instants become timestamps, durations milliseconds, and byte arrays buffers. */
  public static Tuple parameters(@Nullable Object... values) {
    Tuple tuple = Tuple.tuple();
    for (Object value : values) {
      tuple.addValue(
          switch (value) {
            case null -> null;
            case Instant instant -> instant.atOffset(ZoneOffset.UTC);
            case Duration duration -> duration.toMillis();
            case byte[] bytes -> Buffer.buffer(bytes);
            default -> value;
          });
    }
    return tuple;
  }

  public static <T> List<T> list(RowSet<Row> rows, Function<Row, T> reader) {
    List<T> list = new ArrayList<>(rows.size());
    rows.forEach(row -> list.add(reader.apply(row)));
    return list;
  }

  /** The first row, if there is one. */
  public static <T> Optional<T> one(RowSet<Row> rows, Function<Row, T> reader) {
    RowIterator<Row> found = rows.iterator();
    return found.hasNext() ? Optional.of(reader.apply(found.next())) : Optional.empty();
  }

  /** Keyed by the column {@code id}, in the order of the rows. */
  public static <T> Map<UUID, T> byId(RowSet<Row> rows, Function<Row, T> reader) {
    Map<UUID, T> byId = new LinkedHashMap<>();
    rows.forEach(row -> byId.put(row.getUUID("id"), reader.apply(row)));
    return byId;
  }

  public static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }

  /** Of a column of milliseconds. */
  public static @Nullable Duration optionalDuration(Row row, String column) {
    Long millis = row.getLong(column);
    return millis == null ? null : Duration.ofMillis(millis);
  }

  public static @Nullable Instant optionalInstant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }
}
