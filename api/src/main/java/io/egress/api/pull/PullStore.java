package io.egress.api.pull;

import io.egress.api.admin.keys.ApiKey;
import io.egress.platform.database.Standby;
import io.egress.platform.http.Refusal;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.transcript.stream.Cursor;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages and documents. A key is rejected from the first request after it was deleted or
 * expired, because the primary authenticates each request.
 */
public final class PullStore {
  private static final String ONE =
      """
      select k.id as key_id, k.workspace_id, true as follows, s.position as head, s.position as readable_head,
        null::text as standby_erasures, null::bigint as standby_changes, case when %s then s.position end as entered_up_to,
        s.position, s.capture_id, s.chain, null::timestamptz as changed_at,
        null::text as erased_for, c.revision, octet_length(d.deflated) as bytes, d.renderer, d.length, d.crc32,
        d.checksum,
        case when octet_length(d.deflated) <= $3 then d.deflated end as deflated,
        exists (select from erasures where capture_id = s.capture_id) as erased
      from api_keys k
      left join stream s on s.capture_id = $2 and s.workspace_id = k.workspace_id and wants(k.filter, s)
      left join captures c on c.id = s.capture_id
      left join current_documents d on d.capture_id = s.capture_id
      where k.hash = any($1) and (k.expires_at is null or k.expires_at > now())
      """
          .formatted(ReadLog.READS_BY_ID);
  private static final String DOCUMENTS =
      "select d.capture_id, "
          + DocumentStore.COLUMNS
          + " from current_documents d where d.capture_id = any($1)";

  private final Pool pool;
  private final DocumentStore documents;
  private final KnownKeys keys;
  private final PageQuery query;
  private final StartQuery start;
  private final PageSources sources;
  private final Inventory inventory;
  private final ReadLog readLog;
  private final @Nullable StandbyPages standby;

  /**
   * @param pool leads to the primary
   * @param standby what pages are read from; null for the primary
   */
  public PullStore(Pool pool, DocumentStore documents, @Nullable Standby standby, Metrics metrics) {
    this.pool = pool;
    this.documents = documents;
    this.keys = new KnownKeys(pool);
    this.query = new PageQuery(documents);
    this.start = new StartQuery(pool);
    this.inventory = new Inventory(pool);
    this.readLog = new ReadLog(pool);
    this.sources = new PageSources(metrics);
    this.standby =
        standby == null ? null : new StandbyPages(standby, pool, query, documents, sources);
  }

  /** Empty if the key is unknown or expired. Loads documents up to {@code bytesMax}. */
  Future<Optional<StreamPage>> page(ApiKey key, PageRequest request, long bytesMax) {
    Future<Optional<StreamPage>> page =
        standby == null
            ? query.read(pool, key, request, bytesMax)
            : standby.page(key, request, bytesMax);
    return page.onSuccess(read -> read.ifPresent(sources::read));
  }

  /** Where the request starts; empty if the key is unknown or expired. */
  Future<Optional<Cursor>> place(ApiKey key, PageRequest request) {
    return start.place(key, request);
  }

  /**
   * Empty if the key is unknown or expired; a page without entries if the stream has no such
   * capture. Refuses one that was erased.
   */
  Future<Optional<StreamPage>> one(ApiKey key, UUID captureId, long bytesMax) {
    return pool.preparedQuery(ONE)
        .execute(Tuple.of(key.hashes(), captureId, bytesMax))
        .map(rows -> {
          for (Row row : rows) {
            if (row.getBoolean("erased")) {
              throw erased();
            }
          }
          return query.page(rows);
        });
  }

  /** Of the positions above one and up to another; empty if the key is unknown or expired. */
  Future<Optional<Inventory.Chunk>> inventory(ApiKey key, long above, long upTo) {
    return inventory.between(key, above, upTo);
  }

  /**
   * Enters in the log of what is read that {@code page}, which answers {@code request}, is sent.
   */
  Future<StreamPage> sending(StreamPage page, PageRequest request) {
    Cursor end = page.end();
    if (end == null || page.isEnteredUpTo(end.position())) {
      return Future.succeededFuture(page);
    }
    Cursor after = request.after();
    Long head = page.head();
    long upTo = end.position();
    return readLog
        .enter(
            page.keyId(),
            request.feed(),
            after == null ? 0 : after.position(),
            request.lines() && head != null ? Math.max(head, upTo) : upTo)
        .map(page);
  }

  /** The same for a capture that is read by id. */
  Future<StreamPage> sendingOne(StreamPage page) {
    Cursor end = page.end();
    return end == null || page.isEnteredUpTo(end.position())
        ? Future.succeededFuture(page)
        : readLog.enterById(page.keyId()).map(page);
  }

  static Refusal erased() {
    return new Refusal(410, "the capture was erased");
  }

  KnownKeys keys() {
    return keys;
  }

  /** The documents of entries of {@code page}, from where the page was read if possible. */
  Future<Map<UUID, Fragment>> documents(StreamPage page, List<StreamPage.Entry> entries) {
    List<UUID> captureIds =
        entries.stream()
            .filter(entry -> !entry.isErased())
            .map(StreamPage.Entry::captureId)
            .toList();
    return standby == null || page.standby() == null
        ? documents(captureIds)
        : standby
            .documents(page, entries)
            .compose(found -> documents(without(found.keySet(), captureIds)).map(with(found)));
  }

  private static List<UUID> without(Set<UUID> found, Collection<UUID> ids) {
    return ids.stream().filter(id -> !found.contains(id)).toList();
  }

  /**
   * Returns current documents, rendering stale ones. Fails if a capture cannot be rendered. One
   * that is missing was erased a moment ago: nothing else removes a document.
   */
  private Future<Map<UUID, Fragment>> documents(Collection<UUID> captureIds) {
    if (captureIds.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return pool.preparedQuery(DOCUMENTS)
        .execute(Tuple.of(captureIds.toArray(UUID[]::new)))
        .compose(rows -> {
          Map<UUID, Fragment> found = new HashMap<>();
          for (Row row : rows) {
            UUID id = row.getUUID("capture_id");
            Fragment fragment = documents.read(row);
            if (fragment != null) {
              found.put(id, fragment);
            }
          }
          return documents
              .renew(without(found.keySet(), captureIds))
              .map(PullStore::rendered)
              .map(with(found));
        });
  }

  private static Map<UUID, Fragment> rendered(DocumentStore.Renewed renewed) {
    for (UUID id : renewed.unrenderable()) {
      // No reader may skip it.
      throw new Refusal(500, "capture " + id + " is damaged and cannot be rendered");
    }
    Map<UUID, Fragment> fragments = new HashMap<>();
    renewed.documents().forEach((id, document) -> fragments.put(id, document.fragment()));
    return fragments;
  }

  private static Function<Map<UUID, Fragment>, Map<UUID, Fragment>> with(
      Map<UUID, Fragment> found) {
    return more -> {
      Map<UUID, Fragment> all = new HashMap<>(found);
      all.putAll(more);
      return all;
    };
  }
}
