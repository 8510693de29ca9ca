package io.egress.webhook.deliverylog;

import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Adds rows to the parameters of a statement, as one array per column. */
record Columns<R>(Collection<R> rows, Tuple tuple) {
  <T> void add(Function<R, @Nullable T> field, IntFunction<T[]> array) {
    T[] values = array.apply(rows.size());
    int i = 0;
    for (R row : rows) {
      values[i++] = field.apply(row);
    }
    tuple.addValue(values);
  }

  static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
