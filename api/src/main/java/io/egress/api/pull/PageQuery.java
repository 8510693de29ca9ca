package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.platform.database.Rows;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The statement that reads a page. It authenticates the key and reads head, page and first
 * documents from one snapshot, so the head is never older than the page.
 */
final class PageQuery {
  /**
   * Which erasures of the workspace {@code k.workspace_id} a server has, of captures and members.
   */
  static final String ERASURES =
      """
      coalesce((
        select concat_ws(' ', erased, erased_chain, erased_members) from change_heads
        where workspace_id = k.workspace_id), '0 0')\
      """;

  /**
   * Where nothing was erased after the cursor, {@code readable_rows} would cost more than the rest.
   */
  private static final String CAPTURES =
      """
      with access as (
        select k.id as key_id, k.workspace_id, w.stream_head as head, $2::bigint = 0 or exists (
          select from stream where workspace_id = k.workspace_id and position = $2 and chain = $3) as follows,
          e.last_position is not null as skips, k.filter,
          case when k.filter is not null then limited_head(k.workspace_id, k.filter)
            when e.last_position = w.stream_head then e.first_position - 1 else w.stream_head end as readable_head,
          %s as standby_erasures, %s as standby_changes, %s as entered_up_to
        from api_keys k join workspaces w on w.id = k.workspace_id
          left join lateral (
            select first_position, last_position from erased_spans
            where workspace_id = k.workspace_id and last_position > $2 order by last_position desc limit 1) e on true
        where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())),
      entry as (
        select s.position, s.capture_id, s.chain, null::timestamptz as changed_at, null::text as erased_for
        from access a
        cross join lateral (
          (select * from stream
            where workspace_id = a.workspace_id and position > $2 and a.follows and not a.skips and a.filter is null
            order by position limit $4::integer)
          union all
          (select r.* from readable_rows(a.workspace_id, $2, $4::integer) r
            where a.follows and a.skips and a.filter is null)
          union all
          (select r.* from limited_rows(a.workspace_id, a.filter, $2, $4::integer) r
            where a.follows and a.filter is not null)) s)
      """;

  private static final String CHANGES =
      """
      with access as (
        select k.id as key_id, k.workspace_id, k.filter, coalesce(h.number, 0) as head,
          case when k.filter is null then coalesce(h.number, 0)
            else limited_changes_head(k.workspace_id, k.filter) end as readable_head,
          $2::bigint = 0 or coalesce(change_mark(k.workspace_id, $2) = $3, false) as follows, %s as standby_erasures,
          %s as standby_changes, %s as entered_up_to
        from api_keys k left join change_heads h on h.workspace_id = k.workspace_id
        where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())),
      entry as (
        select c.number as position, c.capture_id, change_mark(a.workspace_id, c.number) as chain, c.changed_at,
          e.reason as erased_for
        from access a
        cross join lateral (
          (select * from changes
            where workspace_id = a.workspace_id and number > $2 and a.follows and a.filter is null
            order by number limit $4::integer)
          union all
          (select l.* from limited_changes(a.workspace_id, a.filter, $2, $4::integer) l
            where a.follows and a.filter is not null)) c
        left join erasures e on e.capture_id = c.capture_id)
      """;

  private static final String PAGE =
      """
      , page as (
        select e.position, e.capture_id, e.chain, e.changed_at, e.erased_for, %2$s as revision, %1$s,
          octet_length(d.deflated) as bytes, sum(octet_length(d.deflated)) over (order by e.position) as bytes_so_far
        from entry e
        left join lateral (
          select * from current_documents where capture_id = e.capture_id limit 1) d on true
        %3$s)
      select a.key_id, a.workspace_id, a.follows, a.head, a.readable_head, a.standby_erasures, a.standby_changes, a.entered_up_to,
        p.position, p.capture_id, p.chain, p.changed_at, p.erased_for, p.revision, p.bytes, p.renderer, p.length, p.crc32,
        p.checksum, case when p.bytes_so_far <= $5 then p.deflated end as deflated
      from access a left join page p on true order by p.position
      """;

  private static final String WITHOUT_REVISIONS =
      PAGE.formatted(DocumentStore.COLUMNS, "coalesce(d.revision, 0)", "");

  private static final String WITH_REVISIONS =
      PAGE.formatted(
          DocumentStore.COLUMNS,
          "c.revision",
          "left join lateral (select revision from captures where id = e.capture_id limit 1) c on true");

  static final String CHANGES_HEAD =
      "coalesce((select number from change_heads where workspace_id = k.workspace_id), 0)";

  /** What a page says of the server that it was read from, and how much it has to know. */
  private enum Server {
    /** Whatever is read later is newer, so a page of the stream needs no revisions. */
    PRIMARY("null::text", "null::bigint", WITHOUT_REVISIONS),
    STANDBY(
        "case when pg_is_in_recovery() then " + ERASURES + " end", CHANGES_HEAD, WITH_REVISIONS);

    private final String ofCaptures;
    private final String ofChanges;

    Server(String erasures, String changes, String pageOfCaptures) {
      this.ofCaptures =
          CAPTURES.formatted(erasures, changes, ReadLog.enteredUpTo(Feed.CAPTURES, "$2"))
              + pageOfCaptures;
      this.ofChanges =
          CHANGES.formatted(erasures, changes, ReadLog.enteredUpTo(Feed.CHANGES, "$2"))
              + WITH_REVISIONS;
    }

    String statement(Feed feed) {
      return switch (feed) {
        case CAPTURES -> ofCaptures;
        case CHANGES -> ofChanges;
      };
    }
  }

  private final DocumentStore documents;

  PageQuery(DocumentStore documents) {
    this.documents = documents;
  }

  /** Empty if the key is unknown or expired. Loads documents up to {@code bytesMax}. */
  Future<Optional<StreamPage>> read(Pool primary, ApiKey key, PageRequest request, long bytesMax) {
    return read(primary, Server.PRIMARY, key, request, bytesMax);
  }

  /**
   * The same from a standby. A page without {@link StreamPage#standby} is of a server that is none.
   */
  Future<Optional<StreamPage>> readStandby(
      Pool standby, ApiKey key, PageRequest request, long bytesMax) {
    return read(standby, Server.STANDBY, key, request, bytesMax);
  }

  private Future<Optional<StreamPage>> read(
      Pool pool, Server server, ApiKey key, PageRequest request, long bytesMax) {
    Cursor after = request.after();
    return pool.preparedQuery(server.statement(request.feed()))
        .execute(
            Tuple.of(
                key.hashes(),
                after == null ? 0 : after.position(),
                after == null ? 0 : after.chain(),
                request.limit(),
                bytesMax))
        .map(this::page);
  }

  /** The page in the rows of a statement with these columns; empty without rows. */
  Optional<StreamPage> page(RowSet<Row> rows) {
    List<StreamPage.Entry> entries = new ArrayList<>(rows.size());
    List<Fragment> atHand = new ArrayList<>();
    Row first = null;
    boolean complete = true;
    for (Row row : rows) {
      first = first == null ? row : first;
      if (row.getLong("position") != null) {
        boolean loaded = row.getBuffer("deflated") != null;
        Fragment document = loaded ? documents.read(row) : null;
        StreamPage.Entry entry = entry(row, loaded && document == null);
        entries.add(entry);
        if (document != null && complete) {
          atHand.add(document);
        } else {
          complete &= entry.isErased();
        }
      }
    }
    return first == null
        ? Optional.empty()
        : Optional.of(
            new StreamPage(
                first.getUUID("key_id"),
                first.getUUID("workspace_id"),
                first.getBoolean("follows"),
                first.getLong("head"),
                first.getLong("readable_head"),
                standby(first),
                first.getLong("entered_up_to"),
                entries,
                atHand));
  }

  private static StreamPage.@Nullable StandbyState standby(Row row) {
    String erasures = row.getString("standby_erasures");
    return erasures == null
        ? null
        : new StreamPage.StandbyState(erasures, row.getLong("standby_changes"));
  }

  private static StreamPage.Entry entry(Row row, boolean isDamaged) {
    Instant changedAt = Rows.optionalInstant(row, "changed_at");
    return new StreamPage.Entry(
        new Cursor(row.getLong("position"), row.getLong("chain")),
        row.getUUID("capture_id"),
        isDamaged ? null : row.getInteger("bytes"),
        row.getLong("revision"),
        changedAt == null ? null : new StreamPage.Change(changedAt, row.getString("erased_for")));
  }
}
