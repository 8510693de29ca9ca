package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.api.keys.ApiKey;
import io.egress.document.DocumentStore;
import io.egress.document.Fragment;
import io.egress.http.Refusal;
import io.egress.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads pages. One statement authenticates the key and reads head, page and first documents from
 * one snapshot. A key is therefore rejected from the first request after it was deleted or expired,
 * and the head is never older than the page.
 */
final class PullStore {
  /**
   * Where nothing was erased after the cursor, {@code readable_rows} would cost more than the rest.
   */
  private static final String PAGE =
      """
      with access as (
        select k.id as key_id, k.workspace_id, w.stream_head, $2::bigint = 0 or exists (
          select from stream where workspace_id = k.workspace_id and position = $2 and chain = $3) as follows,
          e.last_position is not null as skips,
          case when e.last_position = w.stream_head then e.first_position - 1 else w.stream_head end as readable_head
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
      select a.key_id, a.workspace_id, a.follows, a.stream_head, a.readable_head, p.position, p.capture_id, p.chain, p.bytes, p.renderer, p.length, p.crc32,
        p.checksum, case when p.bytes_so_far <= $5 then p.deflated end as deflated
      from access a left join page p on true order by p.position
      """
          .formatted(DocumentStore.COLUMNS);

  private static final String ONE =
      """
      select k.id as key_id, k.workspace_id, true as follows, s.position as stream_head, s.position as readable_head, s.position, s.capture_id, s.chain,
        octet_length(d.deflated) as bytes, d.renderer, d.length, d.crc32, d.checksum,
        case when octet_length(d.deflated) <= $3 then d.deflated end as deflated,
        exists (select from erasures where capture_id = s.capture_id) as erased
      from api_keys k
      left join stream s on s.capture_id = $2 and s.workspace_id = k.workspace_id
      left join current_documents d on d.capture_id = s.capture_id
      where k.hash = $1 and (k.expires_at is null or k.expires_at > now())
      """;
  private static final String KNOWS =
      "select 1 from api_keys where hash = $1 and (expires_at is null or expires_at > now())";
  private static final String DOCUMENTS =
      "select d.capture_id, "
          + DocumentStore.COLUMNS
          + " from current_documents d where d.capture_id = any($1)";

  private final Pool pool;
  private final DocumentStore documents;

  PullStore(Pool pool, DocumentStore documents) {
    this.pool = requireNonNull(pool, "pool is null");
    this.documents = requireNonNull(documents, "documents is null");
  }

  /** Empty if the key is unknown or expired. Loads documents up to {@code bytesMax}. */
  Future<Optional<StreamPage>> page(ApiKey key, PageRequest request, long bytesMax) {
    Cursor after = request.after();
    return pool.preparedQuery(PAGE)
        .execute(
            Tuple.of(
                Buffer.buffer(key.hash()),
                after == null ? 0 : after.position(),
                after == null ? 0 : after.chain(),
                request.limit(),
                bytesMax))
        .map(this::page);
  }

  /**
   * Empty if the key is unknown or expired; a page without entries if the stream has no such
   * capture. Refuses one that was erased.
   */
  Future<Optional<StreamPage>> one(ApiKey key, UUID captureId, long bytesMax) {
    return pool.preparedQuery(ONE)
        .execute(Tuple.of(Buffer.buffer(key.hash()), captureId, bytesMax))
        .map(
            rows -> {
              for (Row row : rows) {
                if (row.getBoolean("erased")) {
                  throw erased();
                }
              }
              return page(rows);
            });
  }

  static Refusal erased() {
    return new Refusal(410, "the capture was erased");
  }

  Future<Boolean> knows(ApiKey key) {
    return knows(pool, key);
  }

  static Future<Boolean> knows(Pool pool, ApiKey key) {
    return pool.preparedQuery(KNOWS)
        .execute(Tuple.of(Buffer.buffer(key.hash())))
        .map(rows -> rows.size() == 1);
  }

  /**
   * Returns current documents, rendering stale ones. Fails if a capture cannot be rendered. One
   * that is missing was erased a moment ago: nothing else removes a document.
   */
  Future<Map<UUID, Fragment>> documents(Collection<UUID> captureIds) {
    return pool.preparedQuery(DOCUMENTS)
        .execute(Tuple.of(captureIds.toArray(UUID[]::new)))
        .compose(
            rows -> {
              Map<UUID, Fragment> found = new HashMap<>();
              for (Row row : rows) {
                UUID id = row.getUUID("capture_id");
                Fragment fragment = documents.readToRenew(id, row);
                if (fragment != null) {
                  found.put(id, fragment);
                }
              }
              List<UUID> stale = captureIds.stream().filter(id -> !found.containsKey(id)).toList();
              return documents.renew(stale).map(renewed -> with(found, renewed));
            });
  }

  private static Map<UUID, Fragment> with(
      Map<UUID, Fragment> found, DocumentStore.Renewed renewed) {
    for (UUID id : renewed.unrenderable()) {
      // No reader may skip it.
      throw new Refusal(500, "capture " + id + " is damaged and cannot be rendered");
    }
    renewed.documents().forEach((id, document) -> found.put(id, document.fragment()));
    return found;
  }

  private Optional<StreamPage> page(RowSet<Row> rows) {
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
                entries,
                atHand));
  }
}
