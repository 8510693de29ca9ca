package io.egress.dispatcher.documents;

import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.webhook.send.DocumentHead;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current documents of captures. The database is queried for the revision each time, and for
 * the document only if the cached one has another revision, so several endpoints that get a capture
 * share reading and inflating it. Owned by one event loop.
 */
public final class CurrentDocuments {
  private static final Logger log = LoggerFactory.getLogger(CurrentDocuments.class);

  /**
   * Documents read at a time, compressed and inflated bytes; the first is always read, however
   * large it is.
   */
  private static final long READ_BYTES_MAX = 16L << 20;

  /** Larger ones would block the event loop for too long. */
  private static final long INFLATED_HERE_BYTES_MAX = 512 << 10;

  private static final long UNKNOWN_REVISION = -1;

  /** Touches only the requested rows: a damaged one fails every query that reads it. */
  private static final String READ =
      """
      select id, workspace_id, revision, is_known, erased, renderer, length, crc32, checksum,
        case when not is_known and bytes_before < $3 then deflated end as deflated
      from (
        select k.id, coalesce(d.workspace_id, (select workspace_id from captures where id = k.id)) as workspace_id, d.revision, d.revision = k.known as is_known, %s,
          d.revision is null and exists (select from erasures where capture_id = k.id) as erased,
          coalesce(sum(new.bytes) over (order by k.n) - new.bytes, 0) as bytes_before
        from unnest($1::uuid[], $2::bigint[]) with ordinality as k(id, known, n)
        left join lateral (
          select * from current_documents where capture_id = k.id limit 1) d on true
        cross join lateral (select case when d.revision <> k.known then octet_length(d.deflated) + d.length end as bytes) as new
        ) as asked
      """
          .formatted(DocumentStore.COLUMNS);

  /**
   * The documents found. Captures that do not exist are in none of the collections.
   *
   * @param workspaces the workspace of each capture
   * @param later captures whose document has to wait for a later query, because others came before
   *     it, or the cached one is not in the form that is wanted
   */
  public record Found(
      Map<UUID, UUID> workspaces,
      Map<UUID, DocumentHead> heads,
      List<UUID> later,
      Set<UUID> unrenderable,
      Set<UUID> erased) {}

  /** An answer of the database, and what was cached when it was queried. */
  public static final class Answer {
    private final RowSet<Row> rows;
    private final Map<UUID, DocumentHead> known;

    private Answer(RowSet<Row> rows, Map<UUID, DocumentHead> known) {
      this.rows = rows;
      this.known = known;
    }

    /** The size of the documents that were read, inflated and compressed. */
    public long bytes() {
      long bytes = 0;
      for (Row row : rows) {
        Buffer deflated = row.getBuffer("deflated");
        bytes += deflated == null ? 0 : deflated.length() + row.getLong("length");
      }
      return bytes;
    }
  }

  /**
   * The forms in which documents are sent; of one in neither collection, nothing is sent but that
   * it is there.
   *
   * @param texts captures whose documents are sent as text
   * @param compressed those that are sent as they are stored
   */
  public record Wanted(Set<UUID> texts, Set<UUID> compressed) {}

  /** {@code isNew} if it is to be cached. */
  private record Read(UUID captureId, DocumentHead head, boolean isNew) {}

  private final Vertx vertx;
  private final DocumentStore documents;
  private final DocumentCache cache;

  public CurrentDocuments(Vertx vertx, DocumentStore documents, DocumentCache cache) {
    this.vertx = vertx;
    this.documents = documents;
    this.cache = cache;
  }

  public Future<Answer> read(SqlClient client, Collection<UUID> captureIds) {
    return read(client, captureIds, 0);
  }

  /** The first ones of them are read, however large they are, if they have so many bytes. */
  public Future<Answer> read(SqlClient client, Collection<UUID> captureIds, long bytesOfFirst) {
    UUID[] ids = captureIds.toArray(UUID[]::new);
    Map<UUID, DocumentHead> known = new HashMap<>();
    Long[] revisions = new Long[ids.length];
    for (int i = 0; i < ids.length; i++) {
      DocumentHead head = cache.get(ids[i]);
      revisions[i] = head == null ? UNKNOWN_REVISION : head.revision();
      if (head != null) {
        known.put(ids[i], head);
      }
    }
    return client
        .preparedQuery(READ)
        .execute(
            Tuple.tuple()
                .addArrayOfUUID(ids)
                .addArrayOfLong(revisions)
                .addLong(Math.max(READ_BYTES_MAX, bytesOfFirst)))
        .map(rows -> new Answer(rows, known));
  }

  /** Renders stale documents, and inflates those whose text is wanted. */
  public Future<Found> find(Answer answer, Wanted wanted) {
    Found found =
        new Found(
            new HashMap<>(), new HashMap<>(), new ArrayList<>(), new HashSet<>(), new HashSet<>());
    List<Read> read = new ArrayList<>();
    List<UUID> stale = new ArrayList<>();
    for (Row row : answer.rows) {
      UUID id = row.getUUID("id");
      DocumentHead head = answer.known.get(id);
      UUID workspaceId = row.getUUID("workspace_id");
      if (workspaceId != null) {
        found.workspaces().put(id, workspaceId);
      }
      if (row.getBoolean("erased")) {
        found.erased().add(id);
      } else if (row.getLong("revision") == null) {
        stale.add(id);
      } else if (head != null && row.getBoolean("is_known")) {
        if (wanted.compressed().contains(id) && !head.isStored()) {
          cache.remove(id, head);
          found.later().add(id);
        } else {
          read.add(new Read(id, head, false));
        }
      } else if (row.getBuffer("deflated") == null) {
        found.later().add(id);
      } else {
        Fragment fragment = documents.read(row);
        if (fragment == null) {
          stale.add(id);
        } else {
          read.add(new Read(id, new DocumentHead(row.getLong("revision"), fragment), true));
        }
      }
    }
    return documents
        .renew(stale)
        .compose(renewed -> {
          found.unrenderable().addAll(renewed.unrenderable());
          // A renewed document may show names that are about to change: it is used once and
          // read again.
          renewed
              .documents()
              .forEach((id, each) ->
                  read.add(
                      new Read(id, new DocumentHead(each.revision(), each.fragment()), false)));
          return inflate(read, wanted, found);
        });
  }

  private Future<Found> inflate(List<Read> read, Wanted wanted, Found found) {
    long bytes = 0;
    for (Read document : read) {
      if (!document.head().isInflated() && wanted.texts().contains(document.captureId())) {
        bytes += document.head().length();
      }
    }
    return bytes <= INFLATED_HERE_BYTES_MAX
        ? Future.succeededFuture(inflateHere(read, wanted, found))
        : vertx.executeBlocking(() -> inflateHere(read, wanted, found), false);
  }

  private Found inflateHere(List<Read> read, Wanted wanted, Found found) {
    for (Read document : read) {
      UUID id = document.captureId();
      DocumentHead head;
      try {
        head = inWantedForm(document, wanted);
      } catch (RuntimeException doesNotInflate) {
        log.atError()
            .addKeyValue("capture_id", id)
            .setCause(doesNotInflate)
            .log("A document cannot be inflated");
        found.unrenderable().add(id);
        cache.remove(id, document.head());
        continue;
      }
      found.heads().put(id, head);
      if (document.isNew()) {
        cache.put(id, head);
      }
    }
    return found;
  }

  /** What was stored is kept only if it is sent: most endpoints are sent text. */
  private static DocumentHead inWantedForm(Read document, Wanted wanted) {
    DocumentHead head = document.head();
    if (!wanted.texts().contains(document.captureId())) {
      return head;
    }
    if (document.isNew() && !wanted.compressed().contains(document.captureId())) {
      return head.asText();
    }
    head.text();
    return head;
  }
}
