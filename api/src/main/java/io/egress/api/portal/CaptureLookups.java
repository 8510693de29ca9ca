package io.egress.api.portal;

import io.egress.api.portal.view.DescribedCapture;
import io.egress.api.portal.view.NewestCapture;
import io.egress.api.portal.view.Times;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looks up the captures that pages mention. */
final class CaptureLookups {
  static final String UNTITLED = "Untitled conversation";

  private static final String TITLES =
      "select id, title from captures where id = any($1) and workspace_id = $2";

  private static final String ONE =
      """
      select c.title, c.started_at, d.name as device
      from captures c left join devices d on d.workspace_id = c.workspace_id and d.id = c.device_id
      where c.id = $1 and c.workspace_id = $2
      """;

  private static final String NEWEST =
      """
      select w.stream_head, c.title, s.entered_at
      from workspaces w
        left join stream s on s.workspace_id = w.id and s.position = w.stream_head
        left join captures c on c.id = s.capture_id
      where w.id = $1
      """;

  /** {@code newest} is null while the stream is empty. */
  record Head(long position, @Nullable NewestCapture newest) {}

  private static final int SPEAKERS_MAX = 50;

  private final Pool pool;
  private final DocumentStore documents;

  CaptureLookups(Pool pool, DocumentStore documents) {
    this.pool = pool;
    this.documents = documents;
  }

  /** Keyed by capture id. */
  Future<Map<UUID, String>> titles(UUID workspaceId, Collection<UUID> captureIds) {
    return pool.preparedQuery(TITLES)
        .execute(Tuple.of(captureIds.stream().distinct().toArray(UUID[]::new), workspaceId))
        .map(rows -> {
          Map<UUID, String> titles = new HashMap<>();
          rows.forEach(row -> titles.put(row.getUUID("id"), title(row)));
          return titles;
        });
  }

  Future<Optional<DescribedCapture>> one(UUID workspaceId, UUID captureId) {
    return pool.preparedQuery(ONE)
        .execute(Tuple.of(captureId, workspaceId))
        .compose(rows -> {
          RowIterator<Row> found = rows.iterator();
          return found.hasNext()
              ? describe(captureId, found.next()).map(Optional::of)
              : Future.succeededFuture(Optional.empty());
        });
  }

  Future<Head> head(UUID workspaceId, Instant now) {
    return pool.preparedQuery(NEWEST)
        .execute(Tuple.of(workspaceId))
        .map(rows -> {
          RowIterator<Row> found = rows.iterator();
          return found.hasNext() ? head(found.next(), now) : new Head(0, null);
        });
  }

  private static Head head(Row row, Instant now) {
    long position = row.getLong("stream_head");
    if (position == 0) {
      return new Head(0, null);
    }
    Instant enteredAt = row.getOffsetDateTime("entered_at").toInstant();
    return new Head(position, new NewestCapture(title(row), enteredAt, Times.age(enteredAt, now)));
  }

  private Future<DescribedCapture> describe(UUID captureId, Row row) {
    return documents
        .restore(pool, List.of(captureId))
        .map(found ->
            new DescribedCapture(
                title(row),
                row.getOffsetDateTime("started_at").toInstant(),
                row.getString("device"),
                found.captures().stream()
                    .flatMap(revised -> revised.capture().participants().stream())
                    .map(Participant::shown)
                    .limit(SPEAKERS_MAX)
                    .toList()));
  }

  private static String title(Row row) {
    String title = row.getString("title");
    return title == null || title.isBlank() ? UNTITLED : title;
  }
}
