package io.egress.transcript.document;

import io.egress.platform.database.Rows;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.capture.Capture;
import io.egress.transcript.capture.RevisedCapture;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores rendered documents in the database. A document is current if the view {@code
 * current_documents} contains it, the current version of the renderer wrote it, and its checksum
 * matches; otherwise it is stale. A stale document is rendered again from what it says itself, with
 * the names of the moment, from one snapshot: storing it late stores at worst a stale one. One that
 * is damaged can only be put again.
 */
public final class DocumentStore {
  /** The columns of {@code current_documents d} needed by {@link #read}. */
  public static final String COLUMNS = "d.renderer, d.length, d.crc32, d.checksum, d.deflated";

  private static final Logger log = LoggerFactory.getLogger(DocumentStore.class);

  private static final String PUT =
      """
      insert into documents as d (capture_id, revision, renderer, length, crc32, checksum, deflated)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (capture_id) do update
      set revision = excluded.revision, renderer = excluded.renderer, length = excluded.length,
        crc32 = excluded.crc32, checksum = excluded.checksum, deflated = excluded.deflated
      where (d.revision, d.renderer) <= (excluded.revision, excluded.renderer)
      """;

  /**
   * For a document that was rendered again, and can be once more: no reader waits for its commit,
   * for which a synchronous standby may be needed.
   */
  private static final String PUT_AGAIN =
      PUT + " returning set_config('synchronous_commit', 'off', true)";

  private static final String SIZES =
      """
      select c.id, coalesce(d.length, 0) as bytes
      from captures c left join documents d on d.capture_id = c.id where c.id = any($1) order by 2
      """;

  private static final String OF_REVISION =
      """
      select %s from current_documents d join captures c on c.id = d.capture_id
      where d.capture_id = $1 and d.revision = $2 and c.erased_at is null
      """
          .formatted(COLUMNS);

  /** The next call that puts the capture stores it, even if nothing else has changed. */
  private static final String TAKE_AGAIN =
      "update captures set digest = '' where id = any($1) and digest <> '' and erased_at is null";

  private static final long TOGETHER_BYTES_MAX = 2 << 20;

  /**
   * Documents of the current state of their captures. Captures that do not exist are in neither
   * collection.
   */
  public record Renewed(Map<UUID, RevisedDocument> documents, Set<UUID> unrenderable) {
    private Renewed with(Renewed more) {
      documents.putAll(more.documents());
      unrenderable.addAll(more.unrenderable());
      return this;
    }
  }

  private record Rendered(List<RevisedDocument> documents, Map<UUID, Throwable> unrenderable) {}

  private final SqlClient client;
  private final DocumentRenderer renderer;
  private final WorkerExecutor renderers;
  private final Counter unrenderable;
  private Future<Renewed> lastTurn = Future.succeededFuture();

  public DocumentStore(Vertx vertx, SqlClient client, Metrics metrics) {
    this(vertx, client, metrics, new TranscriptRenderer());
  }

  public DocumentStore(Vertx vertx, SqlClient client, Metrics metrics, DocumentRenderer renderer) {
    this.client = client;
    this.renderer = renderer;
    this.renderers = Renderers.of(vertx);
    this.unrenderable =
        metrics.counter(
            "egress_documents_unrenderable_total",
            "failures to render a damaged document again: its capture has to be put again");
  }

  /** The version of the documents rendered here. */
  public short rendererVersion() {
    return renderer.version();
  }

  /** Null if the stored document is stale. */
  public @Nullable Fragment read(Row row) {
    if (row.getShort("renderer") < renderer.version()) {
      return null;
    }
    Fragment fragment = fragment(row);
    return isWhole(fragment, row) ? fragment : null;
  }

  /** Empty if the capture's current document has another revision or is stale. */
  public Future<Optional<Fragment>> ofRevision(UUID captureId, @Nullable Long revision) {
    return client
        .preparedQuery(OF_REVISION)
        .execute(Tuple.of(captureId, revision))
        .map(rows -> Rows.one(rows, row -> row).map(this::read));
  }

  /**
   * Renders and stores documents of the current state. Rendering takes many times a document's size
   * in memory, so large documents are rendered one at a time across all callers.
   */
  public Future<Renewed> renew(Collection<UUID> ids) {
    return renew(client, PUT_AGAIN, ids, this::inTurn);
  }

  /** Within the caller's transaction, which does not wait for other callers. */
  public Future<Renewed> renew(SqlConnection tx, Collection<UUID> ids) {
    return renew(tx, PUT, ids, id -> renewTogether(tx, PUT, List.of(id)));
  }

  private Future<Renewed> renew(
      SqlClient client,
      String put,
      Collection<UUID> ids,
      Function<UUID, Future<Renewed>> renewLarge) {
    Renewed all = new Renewed(new HashMap<>(), new HashSet<>());
    if (ids.isEmpty()) {
      return Future.succeededFuture(all);
    }
    return client
        .preparedQuery(SIZES)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .compose(sizes -> {
          List<UUID> together = new ArrayList<>();
          List<UUID> alone = new ArrayList<>();
          long bytes = 0;
          for (Row row : sizes) {
            bytes += row.getLong("bytes");
            (bytes <= TOGETHER_BYTES_MAX ? together : alone).add(row.getUUID("id"));
          }
          Future<Renewed> renewed = renewTogether(client, put, together).map(all::with);
          for (UUID id : alone) {
            renewed = renewed.compose(_ -> renewLarge.apply(id)).map(all::with);
          }
          return renewed;
        });
  }

  private synchronized Future<Renewed> inTurn(UUID id) {
    Future<Renewed> turn = lastTurn.transform(_ -> renewTogether(client, PUT_AGAIN, List.of(id)));
    lastTurn = turn;
    return turn;
  }

  /** Reads captures back from their documents, and reports those that are damaged. */
  public Future<CaptureTable.Found> restore(SqlClient client, Collection<UUID> ids) {
    return CaptureTable.read(client, ids)
        .compose(rows -> renderers.executeBlocking(rows::parse, false))
        .compose(found -> report(client, found.unreadable()).map(found));
  }

  private Future<Renewed> renewTogether(SqlClient client, String put, List<UUID> ids) {
    return CaptureTable.read(client, ids)
        .compose(rows ->
            renderers.executeBlocking(
                () -> {
                  CaptureTable.Found found = rows.parse();
                  Rendered rendered = new Rendered(new ArrayList<>(), found.unreadable());
                  for (RevisedCapture revised : found.captures()) {
                    try {
                      rendered.documents().add(render(revised));
                    } catch (RuntimeException failure) {
                      rendered.unrenderable().put(revised.capture().id(), failure);
                    }
                  }
                  return rendered;
                },
                false))
        .compose(rendered ->
            put(client, put, rendered.documents())
                .compose(_ -> report(client, rendered.unrenderable()))
                .map(_ -> renewed(rendered)));
  }

  private Renewed renewed(Rendered rendered) {
    Map<UUID, RevisedDocument> documents = new HashMap<>();
    rendered.documents().forEach(document -> documents.put(document.captureId(), document));
    return new Renewed(documents, rendered.unrenderable().keySet());
  }

  private Future<Void> report(SqlClient client, Map<UUID, Throwable> failures) {
    if (failures.isEmpty()) {
      return Future.succeededFuture();
    }
    failures.forEach((captureId, failure) -> {
      unrenderable.increment();
      log.atError()
          .addKeyValue("capture_id", captureId)
          .setCause(failure)
          .log("A document is damaged: its capture cannot be sent until it is put again");
    });
    return client
        .preparedQuery(TAKE_AGAIN)
        .execute(Tuple.of(failures.keySet().toArray(UUID[]::new)))
        .mapEmpty();
  }

  /** Takes a millisecond or more; not for an event loop. */
  public Fragment render(Capture capture) {
    return Fragment.deflate(renderer.render(capture));
  }

  public Future<List<RevisedDocument>> render(List<RevisedCapture> revised) {
    return revised.isEmpty()
        ? Future.succeededFuture(List.of())
        : renderers.executeBlocking(() -> revised.stream().map(this::render).toList(), false);
  }

  private RevisedDocument render(RevisedCapture revised) {
    return new RevisedDocument(
        revised.capture().id(), revised.revision(), render(revised.capture()));
  }

  /** Fails if the document is missing or damaged. */
  static Fragment stored(Row row) {
    if (row.getBuffer("deflated") == null) {
      throw new IllegalStateException("the document is missing");
    }
    Fragment fragment = fragment(row);
    if (!isWhole(fragment, row)) {
      throw new IllegalStateException("the document's checksum does not match");
    }
    return fragment;
  }

  private static Fragment fragment(Row row) {
    return new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
  }

  private static boolean isWhole(Fragment fragment, Row row) {
    return fragment.checksum() == row.getInteger("checksum");
  }

  /** Stores within the caller's transaction. */
  public Future<Void> put(SqlClient client, List<RevisedDocument> documents) {
    return put(client, PUT, documents);
  }

  private Future<Void> put(SqlClient client, String statement, List<RevisedDocument> documents) {
    List<Tuple> rows =
        documents.stream()
            .map(document ->
                Tuple.of(
                    document.captureId(),
                    document.revision(),
                    renderer.version(),
                    document.fragment().length(),
                    document.fragment().crc32(),
                    document.fragment().checksum(),
                    document.fragment().deflated()))
            .toList();
    return rows.isEmpty()
        ? Future.succeededFuture()
        : client.preparedQuery(statement).executeBatch(rows).mapEmpty();
  }
}
