package io.egress.api.admin.captures;

import io.egress.platform.database.Rows;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.RevisedCapture;
import io.egress.transcript.capture.Segment;
import io.egress.transcript.document.DocumentStore;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what people and commands see of captures. */
public final class Captures {
  /** As in documents. */
  public static final String UNTITLED = "Untitled conversation";

  private static final String ERASED = "Erased capture";

  /** What a search for a title looks at: of {@code captures c}, that of its document. */
  static final String SEARCHED_TITLE =
      "folded(case when c.title ~ '\\S' then c.title else '%s' end)".formatted(UNTITLED);

  private static final int LINES_MAX = 12;
  private static final int LINE_MAX = 300;

  private static final String FIND =
      """
      select c.workspace_id, c.title, c.revision, c.entered, c.created_at, c.updated_at,
        cardinality(c.speakers) as segments, s.position, s.entered_at,
        e.erased_at, e.erased_by, e.reason as erased_reason
      from captures c left join stream s on s.workspace_id = c.workspace_id and s.capture_id = c.id
        left join erasures e on e.capture_id = c.id
      where c.id = $1
      """;

  private static final String SUMMARY =
      """
      select c.title, c.erased_at, c.started_at, d.name as device
      from captures c left join devices d on d.workspace_id = c.workspace_id and d.id = c.device_id
      where c.id = $1 and c.workspace_id = $2
      """;

  private static final String NEWEST =
      """
      select w.stream_head, c.title, c.erased_at, s.entered_at
      from workspaces w
        left join stream s on s.workspace_id = w.id and s.position = w.stream_head
        left join captures c on c.id = s.capture_id
      where w.id = $1
      """;

  private static final String TITLES =
      "select id, title from captures where id = any($1) and workspace_id = $2 and title ~ '\\S'";

  private static final String SHOWN_TITLES =
      "select id, title, erased_at from captures where id = any($1) and workspace_id = $2";

  private static final String TITLED =
      "select id from captures c where id = any($1) and erased_at is null and strpos(%s, folded($2)) > 0"
          .formatted(SEARCHED_TITLE);

  private static final String REVISION =
      "select revision from captures where id = $1 and workspace_id = $2 and erased_at is null";

  /**
   * What a capture's current document says of it.
   *
   * @param opening the first things that were said
   */
  public record Summary(
      String title,
      Instant startedAt,
      @Nullable String device,
      List<String> speakers,
      List<Line> opening) {
    public Summary {
      speakers = List.copyOf(speakers);
      opening = List.copyOf(opening);
    }
  }

  /** {@code speaker} is null for unattributed audio. */
  public record Line(@Nullable String speaker, String text) {
    private static Line of(Segment segment, Map<String, String> names) {
      String text = segment.text();
      int end =
          text.offsetByCodePoints(0, Math.min(LINE_MAX, text.codePointCount(0, text.length())));
      return new Line(
          segment.speaker() == null ? null : names.get(segment.speaker()),
          end < text.length() ? text.substring(0, end) + "…" : text);
    }
  }

  /** The capture at the head of a stream. */
  public record Newest(long position, String title, Instant enteredAt) {}

  private final Pool pool;
  private final DocumentStore documents;

  public Captures(Pool pool, DocumentStore documents) {
    this.pool = pool;
    this.documents = documents;
  }

  /**
   * Of whatever workspace; empty if the service never received it. Erased captures are found, too.
   */
  public Optional<FoundCapture> find(UUID id) {
    return Rows.one(Rows.of(pool, FIND, id), row -> capture(id, row));
  }

  public Optional<Summary> summary(UUID workspaceId, UUID id) {
    return Rows.one(Rows.of(pool, SUMMARY, id, workspaceId), row -> summary(id, row));
  }

  /** Empty while the stream is. */
  public Optional<Newest> newest(UUID workspaceId) {
    return Rows.one(Rows.of(pool, NEWEST, workspaceId), row -> row)
        .filter(row -> row.getLong("stream_head") > 0)
        .map(row ->
            new Newest(row.getLong("stream_head"), title(row), Rows.instant(row, "entered_at")));
  }

  /** Keyed by capture id, without those that have none. */
  public Map<UUID, String> titles(UUID workspaceId, Collection<UUID> ids) {
    UUID[] distinct = ids.stream().distinct().toArray(UUID[]::new);
    return Rows.byId(Rows.of(pool, TITLES, distinct, workspaceId), row -> row.getString("title"));
  }

  /** As pages show them, keyed by capture id. */
  public Map<UUID, String> shownTitles(UUID workspaceId, Collection<UUID> ids) {
    UUID[] distinct = ids.stream().distinct().toArray(UUID[]::new);
    return Rows.byId(Rows.of(pool, SHOWN_TITLES, distinct, workspaceId), Captures::title);
  }

  /** Those whose title contains the text, as {@link CaptureFilter} compares them. */
  public Set<UUID> titled(Collection<UUID> ids, String text) {
    UUID[] distinct = ids.stream().distinct().toArray(UUID[]::new);
    return new HashSet<>(
        Rows.list(Rows.of(pool, TITLED, distinct, text), row -> row.getUUID("id")));
  }

  /** The current one; empty if the capture was erased. */
  public Optional<Long> revision(UUID workspaceId, UUID id) {
    return Rows.one(Rows.of(pool, REVISION, id, workspaceId), row -> row.getLong("revision"));
  }

  private static FoundCapture capture(UUID id, Row row) {
    Instant erasedAt = Rows.optionalInstant(row, "erased_at");
    Long position = row.getLong("position");
    return new FoundCapture(
        id,
        row.getUUID("workspace_id"),
        row.getString("title"),
        state(erasedAt, position, row.getBoolean("entered")),
        position,
        row.getLong("revision"),
        row.getInteger("segments"),
        Rows.instant(row, "created_at"),
        Rows.instant(row, "updated_at"),
        Rows.optionalInstant(row, "entered_at"),
        erasedAt,
        row.getString("erased_by"),
        row.getString("erased_reason"));
  }

  private static FoundCapture.State state(
      @Nullable Instant erasedAt, @Nullable Long position, boolean entered) {
    if (erasedAt != null) {
      return FoundCapture.State.ERASED;
    }
    if (position != null) {
      return FoundCapture.State.IN_STREAM;
    }
    return entered ? FoundCapture.State.ENTERING : FoundCapture.State.WITHOUT_SEGMENTS;
  }

  private Summary summary(UUID id, Row row) {
    Map<String, String> names = new LinkedHashMap<>();
    List<Line> opening = new ArrayList<>();
    for (RevisedCapture revised : documents.restore(pool, List.of(id)).await().captures()) {
      Capture capture = revised.capture();
      capture.participants().forEach(each -> names.put(each.label(), each.displayName()));
      capture.segments().stream()
          .limit(LINES_MAX)
          .forEach(each -> opening.add(Line.of(each, names)));
    }
    return new Summary(
        title(row),
        Rows.instant(row, "started_at"),
        row.getString("device"),
        List.copyOf(names.values()),
        opening);
  }

  private static String title(Row row) {
    return shownTitle(row.getString("title"), Rows.optionalInstant(row, "erased_at"));
  }

  /** What pages call a capture. */
  static String shownTitle(@Nullable String title, @Nullable Instant erasedAt) {
    if (erasedAt != null) {
      return ERASED;
    }
    return title == null || title.isBlank() ? UNTITLED : title;
  }
}
