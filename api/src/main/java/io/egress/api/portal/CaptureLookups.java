package io.egress.api.portal;

import io.egress.api.portal.view.DescribedCapture;
import io.egress.api.portal.view.NewestCapture;
import io.egress.api.portal.view.Times;
import io.egress.platform.database.Rows;
import io.egress.transcript.capture.Participant;
import io.egress.transcript.document.DocumentStore;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.Collection;
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
  Map<UUID, String> titles(UUID workspaceId, Collection<UUID> captureIds) {
    UUID[] ids = captureIds.stream().distinct().toArray(UUID[]::new);
    return Rows.byId(Rows.of(pool, TITLES, ids, workspaceId), CaptureLookups::title);
  }

  Optional<DescribedCapture> one(UUID workspaceId, UUID captureId) {
    return Rows.one(Rows.of(pool, ONE, captureId, workspaceId), row -> describe(captureId, row));
  }

  Head head(UUID workspaceId, Instant now) {
    return Rows.one(Rows.of(pool, NEWEST, workspaceId), row -> head(row, now))
        .orElse(new Head(0, null));
  }

  private static Head head(Row row, Instant now) {
    long position = row.getLong("stream_head");
    if (position == 0) {
      return new Head(0, null);
    }
    Instant enteredAt = row.getOffsetDateTime("entered_at").toInstant();
    return new Head(position, new NewestCapture(title(row), enteredAt, Times.age(enteredAt, now)));
  }

  private DescribedCapture describe(UUID captureId, Row row) {
    return new DescribedCapture(
        title(row),
        Rows.instant(row, "started_at"),
        row.getString("device"),
        documents.restore(pool, List.of(captureId)).await().captures().stream()
            .flatMap(revised -> revised.capture().participants().stream())
            .map(Participant::displayName)
            .limit(SPEAKERS_MAX)
            .toList());
  }

  private static String title(Row row) {
    String title = row.getString("title");
    return title == null || title.isBlank() ? UNTITLED : title;
  }
}
