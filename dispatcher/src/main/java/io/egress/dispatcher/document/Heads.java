package io.egress.dispatcher.document;

import static java.util.Objects.requireNonNull;

import io.egress.document.DocumentStore;
import io.egress.document.Fragment;
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
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The current documents of captures. The database is asked for the revision each time and for the
 * document only when it is another than the one at hand, so several endpoints that get a capture
 * share one reading and one inflating of it. Owned by one event loop.
 */
public final class Heads {
  /**
   * Documents read at a time, compressed and inflated bytes; the first always comes, however large
   * it is.
   */
  private static final long READ_BYTES_MAX = 16L << 20;

  /** Larger ones would hold the event loop for longer than other deliveries should wait. */
  private static final long INFLATED_HERE_BYTES_MAX = 512 << 10;

  private static final long UNKNOWN_REVISION = -1;

  private static final String READ =
      """
      select id, revision, length, crc32, case when bytes_before < $3 then deflated end as deflated
      from (
        select c.id, c.revision, d.length, d.crc32, d.deflated,
          coalesce(sum(octet_length(d.deflated) + d.length) over (order by k.n)
            - octet_length(d.deflated) - d.length, 0) as bytes_before
        from unnest($1::uuid[], $2::bigint[]) with ordinality as k(id, known, n)
        join captures c on c.id = k.id
        left join documents d on d.capture_id = c.id and d.revision = c.revision and d.revision <> k.known) as asked
      """;

  /**
   * What was found: current documents; captures whose document has to wait for a later reading,
   * because others came before it; and those that do not exist are in neither.
   */
  public record Found(Map<UUID, Head> heads, List<UUID> later) {}

  /** An answer of the database, and what was at hand when it was asked. */
  public static final class Answer {
    private final RowSet<Row> rows;
    private final Map<UUID, Head> known;

    private Answer(RowSet<Row> rows, Map<UUID, Head> known) {
      this.rows = rows;
      this.known = known;
    }

    /** What the documents that were read will take, inflated and as they are. */
    public long bytes() {
      long bytes = 0;
      for (Row row : rows) {
        Buffer deflated = row.getBuffer("deflated");
        bytes += deflated == null ? 0 : deflated.length() + row.getLong("length");
      }
      return bytes;
    }
  }

  private record Stored(UUID captureId, long revision, Fragment fragment) {}

  private final Vertx vertx;
  private final DocumentStore documents;
  private final HeadCache cache;

  public Heads(Vertx vertx, DocumentStore documents, HeadCache cache) {
    this.vertx = requireNonNull(vertx, "vertx is null");
    this.documents = requireNonNull(documents, "documents is null");
    this.cache = requireNonNull(cache, "cache is null");
  }

  public Future<Answer> ask(SqlClient client, Collection<UUID> captureIds) {
    UUID[] ids = captureIds.toArray(UUID[]::new);
    Map<UUID, Head> known = new HashMap<>();
    Long[] revisions = new Long[ids.length];
    for (int i = 0; i < ids.length; i++) {
      Head head = cache.get(ids[i]);
      revisions[i] = head == null ? UNKNOWN_REVISION : head.revision();
      if (head != null) {
        known.put(ids[i], head);
      }
    }
    return client
        .preparedQuery(READ)
        .execute(
            Tuple.tuple().addArrayOfUUID(ids).addArrayOfLong(revisions).addLong(READ_BYTES_MAX))
        .map(rows -> new Answer(rows, known));
  }

  /** Renders anew what is out of date. */
  public Future<Found> find(Answer answer) {
    Found found = new Found(new HashMap<>(), new ArrayList<>());
    List<Stored> stored = new ArrayList<>();
    List<UUID> stale = new ArrayList<>();
    for (Row row : answer.rows) {
      UUID id = row.getUUID("id");
      long revision = row.getLong("revision");
      Head head = answer.known.get(id);
      if (head != null && head.revision() == revision) {
        found.heads().put(id, head);
      } else if (row.getLong("length") == null) {
        stale.add(id);
      } else if (row.getBuffer("deflated") == null) {
        found.later().add(id);
      } else {
        stored.add(
            new Stored(
                id,
                revision,
                new Fragment(
                    row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"))));
      }
    }
    return renew(stale, stored).compose(this::inflate).map(inflated -> with(found, inflated));
  }

  /** Which revision a renewed document shows is not told: it is used once and asked for again. */
  private Future<List<Stored>> renew(List<UUID> stale, List<Stored> stored) {
    return documents
        .renew(stale)
        .map(
            renewed -> {
              renewed.forEach(
                  (id, fragment) -> stored.add(new Stored(id, UNKNOWN_REVISION, fragment)));
              return stored;
            });
  }

  private Future<Map<UUID, Head>> inflate(List<Stored> stored) {
    long bytes = stored.stream().mapToLong(document -> document.fragment().length()).sum();
    return bytes <= INFLATED_HERE_BYTES_MAX
        ? Future.succeededFuture(inflated(stored))
        : vertx.executeBlocking(() -> inflated(stored), false);
  }

  private static Map<UUID, Head> inflated(List<Stored> stored) {
    Map<UUID, Head> heads = new HashMap<>();
    for (Stored document : stored) {
      heads.put(document.captureId(), new Head(document.revision(), document.fragment().inflate()));
    }
    return heads;
  }

  private Found with(Found found, Map<UUID, Head> inflated) {
    inflated.forEach(
        (id, head) -> {
          found.heads().put(id, head);
          if (head.revision() != UNKNOWN_REVISION) {
            cache.put(id, head);
          }
        });
    return found;
  }
}
