package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.api.admin.keys.Readers;
import io.egress.api.pull.PageSources.Reason;
import io.egress.platform.database.Standby;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pages from a standby and has the primary confirm each: with a few lookups, it authenticates
 * the key, finds the page's last position with the same chain or mark in its own feed, and compares
 * the erasures. Two feeds with the same chain or mark at a position have the same history up to
 * there, so a confirmed page is what the primary would have sent, or the beginning of it, whatever
 * server it came from. A reader may know of a change that the standby does not have, so a page of
 * the stream must show the newest change of each capture; in the feed of changes, it comes later.
 * The end of the feed is the primary's. What is not confirmed is read again from the primary.
 */
final class StandbyPages {
  private static final Logger log = LoggerFactory.getLogger(StandbyPages.class);

  /** The primary has to answer in what is left of the request's time. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

  private static final String CONFIRM_CAPTURES =
      """
      select k.id as key_id, k.workspace_id, w.stream_head as head, $2::bigint = 0 or exists (
          select from stream where workspace_id = k.workspace_id and position = $2 and chain = $3) as contained,
        case when k.filter is not null then limited_head(k.workspace_id, k.filter) else %s end as readable_head,
        %s as entered_up_to, %s as erasures, %s > $5::bigint and exists (
          select from changes where workspace_id = k.workspace_id and number > $5 and capture_id = any($6::uuid[]))
          as changed
      from api_keys k join workspaces w on w.id = k.workspace_id
      where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())
      """
          .formatted(
              Readers.READABLE_HEAD,
              ReadLog.enteredUpTo(Feed.CAPTURES, "$4"),
              PageQuery.ERASURES,
              PageQuery.CHANGES_HEAD);

  private static final String CONFIRM_CHANGES =
      """
      select k.id as key_id, k.workspace_id, coalesce(h.number, 0) as head,
        case when k.filter is null then coalesce(h.number, 0)
          else limited_changes_head(k.workspace_id, k.filter) end as readable_head,
        $2::bigint = 0 or coalesce(change_mark(k.workspace_id, $2) = $3, false) as contained, %s as entered_up_to,
        %s as erasures, false as changed
      from api_keys k left join change_heads h on h.workspace_id = k.workspace_id
      where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())
      """
          .formatted(ReadLog.enteredUpTo(Feed.CHANGES, "$4"), PageQuery.ERASURES);

  private static final String DOCUMENTS =
      """
      select d.capture_id, d.revision, %s, case when pg_is_in_recovery() then k.erasures end as standby_erasures
      from current_documents d cross join (
        select %s as erasures from (select $2::uuid as workspace_id) k) k
      where d.capture_id = any($1)
      """
          .formatted(DocumentStore.COLUMNS, PageQuery.ERASURES);

  private final Standby standby;
  private final Pool primary;
  private final PageQuery query;
  private final DocumentStore documents;
  private final PageSources sources;

  StandbyPages(
      Standby standby,
      Pool primary,
      PageQuery query,
      DocumentStore documents,
      PageSources sources) {
    this.standby = standby;
    this.primary = primary;
    this.query = query;
    this.documents = documents;
    this.sources = sources;
  }

  /** Empty if the key is unknown or expired. Loads documents up to {@code bytesMax}. */
  Future<Optional<StreamPage>> page(ApiKey key, PageRequest request, long bytesMax) {
    Optional<Standby.Unfit> unfit = standby.unfit();
    if (unfit.isPresent()) {
      return replaced(Reason.of(unfit.get()), key, request, bytesMax);
    }
    return query
        .readStandby(standby.pool(), key, request, bytesMax)
        .timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .compose(
            read -> confirmed(read, key, request, bytesMax),
            failure -> {
              failed(failure);
              return replaced(Reason.AWAY, key, request, bytesMax);
            });
  }

  /** Those that the standby has; the others have to be read from the primary. Does not fail. */
  Future<Map<UUID, Fragment>> documents(StreamPage page, List<StreamPage.Entry> entries) {
    if (standby.unfit().isPresent()) {
      return Future.succeededFuture(Map.of());
    }
    return standby
        .pool()
        .preparedQuery(DOCUMENTS)
        .execute(
            Tuple.of(
                entries.stream().map(StreamPage.Entry::captureId).toArray(UUID[]::new),
                page.workspaceId()))
        .timeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .map(rows -> documents(page, entries, rows))
        .otherwise(failure -> {
          failed(failure);
          return Map.of();
        });
  }

  /**
   * Another standby may answer than the one that the page came from, with documents from before a
   * change on it.
   */
  private Map<UUID, Fragment> documents(
      StreamPage page, List<StreamPage.Entry> entries, RowSet<Row> rows) {
    Map<UUID, Long> revisions =
        entries.stream()
            .collect(Collectors.toMap(StreamPage.Entry::captureId, StreamPage.Entry::revision));
    StreamPage.StandbyState state = page.standby();
    Map<UUID, Fragment> found = new HashMap<>();
    for (Row row : rows) {
      Fragment document = documents.read(row);
      String erasures = row.getString("standby_erasures");
      UUID id = row.getUUID("capture_id");
      if (document != null
          && erasures != null
          && state != null
          && erasures.equals(state.erasures())
          && row.getLong("revision") >= revisions.getOrDefault(id, 0L)) {
        found.put(id, document);
      }
    }
    return found;
  }

  private Future<Optional<StreamPage>> confirmed(
      Optional<StreamPage> read, ApiKey key, PageRequest request, long bytesMax) {
    if (read.isEmpty() || !read.get().follows()) {
      return replaced(Reason.BEHIND_CURSOR, key, request, bytesMax);
    }
    StreamPage page = read.get();
    StreamPage.StandbyState state = page.standby();
    if (state == null) {
      return replaced(Reason.PROMOTED, key, request, bytesMax);
    }
    Cursor last = page.end() == null ? request.after() : page.end();
    return primary
        .preparedQuery(
            switch (request.feed()) {
              case CAPTURES -> CONFIRM_CAPTURES;
              case CHANGES -> CONFIRM_CHANGES;
            })
        .execute(question(key, last, request, page, state))
        .compose(rows -> {
          if (rows.size() == 0) {
            return Future.succeededFuture(Optional.empty());
          }
          Row now = rows.iterator().next();
          Reason objection = objection(page, state, request, now);
          return objection == null
              ? Future.succeededFuture(Optional.of(asOf(now, page)))
              : replaced(objection, key, request, bytesMax);
        });
  }

  /** The last two parameters are of captures only. */
  private static Tuple question(
      ApiKey key,
      @Nullable Cursor last,
      PageRequest request,
      StreamPage page,
      StreamPage.StandbyState state) {
    Cursor after = request.after();
    Tuple question =
        Tuple.of(
            key.hashes(),
            last == null ? 0 : last.position(),
            last == null ? 0 : last.chain(),
            after == null ? 0 : after.position());
    return switch (request.feed()) {
      case CAPTURES ->
          question
              .addLong(state.changes())
              .addArrayOfUUID(
                  page.entries().stream().map(StreamPage.Entry::captureId).toArray(UUID[]::new));
      case CHANGES -> question;
    };
  }

  /** Null if the primary confirms the page. */
  private static @Nullable Reason objection(
      StreamPage page, StreamPage.StandbyState state, PageRequest request, Row now) {
    if (!page.workspaceId().equals(now.getUUID("workspace_id")) || !now.getBoolean("contained")) {
      return Reason.HISTORY;
    }
    if (!now.getString("erasures").equals(state.erasures())) {
      return Reason.ERASURE;
    }
    if (now.getBoolean("changed")) {
      return Reason.CHANGE;
    }
    Cursor after = request.after();
    long from = after == null ? 0 : after.position();
    return page.entries().isEmpty() && from < now.getLong("readable_head")
        ? Reason.BEHIND_CURSOR
        : null;
  }

  private static StreamPage asOf(Row now, StreamPage page) {
    return new StreamPage(
        now.getUUID("key_id"),
        now.getUUID("workspace_id"),
        true,
        now.getLong("head"),
        now.getLong("readable_head"),
        page.standby(),
        now.getLong("entered_up_to"),
        page.entries(),
        page.atHand());
  }

  /** A request with an unknown key is answered by no server. */
  private Future<Optional<StreamPage>> replaced(
      Reason reason, ApiKey key, PageRequest request, long bytesMax) {
    return query
        .read(primary, key, request, bytesMax)
        .onSuccess(
            read -> read.filter(StreamPage::follows).ifPresent(_ -> sources.replaced(reason)));
  }

  private void failed(Throwable failure) {
    standby.failed(failure);
    log.debug("A standby failed; reading from the primary: {}", failure.toString());
  }
}
