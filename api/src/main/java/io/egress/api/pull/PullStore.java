package io.egress.api.pull;

import static java.util.Objects.requireNonNull;

import io.egress.api.keys.ApiKey;
import io.egress.document.DocumentStore;
import io.egress.document.Fragment;
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
import org.jspecify.annotations.Nullable;

/**
 * Reads pages. One statement authenticates, reads head and page and brings the first documents
 * along, all of one snapshot, so a key is refused at the first request after it was deleted and the
 * head never lies behind the page.
 */
final class PullStore {
  private static final String PAGE =
      """
      with access as (
        select k.id as key_id, k.workspace_id, w.stream_head
        from api_keys k join workspaces w on w.id = k.workspace_id where k.hash = $1),
      page as (
        select s.position, s.capture_id, d.length, d.crc32, d.deflated, octet_length(d.deflated) as bytes,
          sum(octet_length(d.deflated)) over (order by s.position) as bytes_so_far
        from access a
        cross join lateral (
          select position, capture_id from stream
          where workspace_id = a.workspace_id and position > $2 order by position limit $3) s
        join captures c on c.id = s.capture_id
        left join documents d on d.capture_id = s.capture_id and d.revision = c.revision)
      select a.key_id, a.workspace_id, a.stream_head, p.position, p.capture_id, p.bytes, p.length, p.crc32,
        case when p.bytes_so_far <= $4 then p.deflated end as deflated
      from access a left join page p on true order by p.position
      """;
  private static final String ONE =
      """
      select k.id as key_id, k.workspace_id, s.position, s.capture_id,
        octet_length(d.deflated) as bytes, d.length, d.crc32,
        case when octet_length(d.deflated) <= $3 then d.deflated end as deflated
      from api_keys k
      left join stream s on s.capture_id = $2 and s.workspace_id = k.workspace_id
      left join captures c on c.id = s.capture_id
      left join documents d on d.capture_id = c.id and d.revision = c.revision
      where k.hash = $1
      """;
  private static final String DOCUMENTS =
      """
      select d.capture_id, d.length, d.crc32, d.deflated
      from documents d join captures c on c.id = d.capture_id and c.revision = d.revision
      where d.capture_id = any($1)
      """;

  private final Pool pool;
  private final DocumentStore documents;

  PullStore(Pool pool, DocumentStore documents) {
    this.pool = requireNonNull(pool, "pool is null");
    this.documents = requireNonNull(documents, "documents is null");
  }

  /** Empty when the key is unknown. Brings documents along up to {@code bytesMax}. */
  Future<Optional<StreamPage>> page(ApiKey key, PageRequest request, long bytesMax) {
    return pool.preparedQuery(PAGE)
        .execute(
            Tuple.of(
                Buffer.buffer(key.hash()),
                request.afterPosition(),
                (long) request.limit(),
                bytesMax))
        .map(PullStore::page);
  }

  /** Empty when the key is unknown; a page without entries when the stream has no such capture. */
  Future<Optional<StreamPage>> one(ApiKey key, UUID captureId, long bytesMax) {
    return pool.preparedQuery(ONE)
        .execute(Tuple.of(Buffer.buffer(key.hash()), captureId, bytesMax))
        .map(PullStore::page);
  }

  Future<Boolean> knows(ApiKey key) {
    return pool.preparedQuery("select 1 from api_keys where hash = $1")
        .execute(Tuple.of(Buffer.buffer(key.hash())))
        .map(rows -> rows.size() == 1);
  }

  /** Current documents of captures that exist, rendered anew where need be. */
  Future<Map<UUID, Fragment>> documents(Collection<UUID> captureIds) {
    return pool.preparedQuery(DOCUMENTS)
        .execute(Tuple.of(captureIds.toArray(UUID[]::new)))
        .compose(
            rows -> {
              Map<UUID, Fragment> found = new HashMap<>();
              rows.forEach(row -> found.put(row.getUUID("capture_id"), fragment(row)));
              List<UUID> missing =
                  captureIds.stream().filter(id -> !found.containsKey(id)).toList();
              return documents
                  .renew(missing)
                  .map(
                      renewed -> {
                        found.putAll(renewed);
                        return found;
                      });
            });
  }

  private static Optional<StreamPage> page(RowSet<Row> rows) {
    List<StreamPage.Entry> entries = new ArrayList<>(rows.size());
    List<Fragment> atHand = new ArrayList<>();
    Row first = null;
    for (Row row : rows) {
      first = first == null ? row : first;
      Long position = row.getLong("position");
      if (position != null) {
        if (row.getBuffer("deflated") != null && atHand.size() == entries.size()) {
          atHand.add(fragment(row));
        }
        entries.add(
            new StreamPage.Entry(position, row.getUUID("capture_id"), row.getInteger("bytes")));
      }
    }
    return first == null
        ? Optional.empty()
        : Optional.of(
            new StreamPage(
                first.getUUID("key_id"),
                first.getUUID("workspace_id"),
                head(first),
                entries,
                atHand));
  }

  private static long head(Row row) {
    @Nullable Long head = row.getColumnIndex("stream_head") < 0 ? null : row.getLong("stream_head");
    return head == null ? 0 : head;
  }

  private static Fragment fragment(Row row) {
    return new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
  }
}
