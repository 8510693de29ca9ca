package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
        select concat_ws(' ', number, chain, members) from erasure_heads
        where workspace_id = k.workspace_id), '0 0 0')\
      """;

  /**
   * Where nothing was erased after the cursor, {@code readable_rows} would cost more than the rest.
   */
  private static final String PAGE =
      """
      with access as (
        select k.id as key_id, k.workspace_id, w.stream_head, $2::bigint = 0 or exists (
          select from stream where workspace_id = k.workspace_id and position = $2 and chain = $3) as follows,
          e.last_position is not null as skips,
          case when e.last_position = w.stream_head then e.first_position - 1 else w.stream_head end as readable_head,
          %s as standby_erasures
        from api_keys k join workspaces w on w.id = k.workspace_id
          left join lateral (
            select first_position, last_position from erased_spans
            where workspace_id = k.workspace_id and last_position > $2 order by last_position desc limit 1) e on true
        where k.hash = $1 and (k.expires_at is null or k.expires_at > now())),
      page as (
        select s.position, s.capture_id, s.chain, %s, octet_length(d.deflated) as bytes,
          sum(octet_length(d.deflated)) over (order by s.position) as bytes_so_far
        from access a
        cross join lateral (
          (select * from stream
            where workspace_id = a.workspace_id and position > $2 and a.follows and not a.skips
            order by position limit $4::integer)
          union all
          (select r.* from readable_rows(a.workspace_id, $2, $4::integer) r where a.follows and a.skips)) s
        left join lateral (
          select * from current_documents where capture_id = s.capture_id limit 1) d on true)
      select a.key_id, a.workspace_id, a.follows, a.stream_head, a.readable_head, a.standby_erasures, p.position, p.capture_id, p.chain, p.bytes, p.renderer, p.length, p.crc32,
        p.checksum, case when p.bytes_so_far <= $5 then p.deflated end as deflated
      from access a left join page p on true order by p.position
      """;

  private static final String OF_PRIMARY = PAGE.formatted("null::text", DocumentStore.COLUMNS);
  private static final String OF_STANDBY =
      PAGE.formatted(
          "case when pg_is_in_recovery() then " + ERASURES + " end", DocumentStore.COLUMNS);

  private final DocumentStore documents;

  PageQuery(DocumentStore documents) {
    this.documents = documents;
  }

  /** Empty if the key is unknown or expired. Loads documents up to {@code bytesMax}. */
  Future<Optional<StreamPage>> read(Pool primary, ApiKey key, PageRequest request, long bytesMax) {
    return read(primary, OF_PRIMARY, key, request, bytesMax);
  }

  /**
   * The same from a standby. A page without {@link StreamPage#standbyErasures} is of a server that
   * is none.
   */
  Future<Optional<StreamPage>> readStandby(
      Pool standby, ApiKey key, PageRequest request, long bytesMax) {
    return read(standby, OF_STANDBY, key, request, bytesMax);
  }

  private Future<Optional<StreamPage>> read(
      Pool pool, String statement, ApiKey key, PageRequest request, long bytesMax) {
    Cursor after = request.after();
    return pool.preparedQuery(statement)
        .execute(
            Tuple.of(
                Buffer.buffer(key.hash()),
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
    for (Row row : rows) {
      first = first == null ? row : first;
      if (row.getLong("position") != null) {
        boolean loaded = row.getBuffer("deflated") != null;
        Fragment document = loaded ? documents.read(row) : null;
        if (document != null && atHand.size() == entries.size()) {
          atHand.add(document);
        }
        entries.add(
            new StreamPage.Entry(
                new Cursor(row.getLong("position"), row.getLong("chain")),
                row.getUUID("capture_id"),
                loaded && document == null ? null : row.getInteger("bytes")));
      }
    }
    return first == null
        ? Optional.empty()
        : Optional.of(
            new StreamPage(
                first.getUUID("key_id"),
                first.getUUID("workspace_id"),
                first.getBoolean("follows"),
                first.getLong("stream_head"),
                first.getLong("readable_head"),
                first.getString("standby_erasures"),
                entries,
                atHand));
  }
}
