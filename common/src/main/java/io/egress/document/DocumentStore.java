package io.egress.document;

import static java.util.Objects.requireNonNull;

import io.egress.capture.Capture;
import io.egress.capture.CaptureTable;
import io.egress.capture.RevisedCapture;
import io.egress.metrics.Metrics;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.Row;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores rendered documents in the database. A document is current if the view {@code
 * current_documents} contains it, the current version of the renderer wrote it, and its checksum
 * matches; otherwise it is stale. Documents are rendered from a snapshot of their capture, so
 * storing one late stores at worst a stale one.
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

  /** The size of the last rendered document, or an estimate from its segments. */
  private static final String SIZES =
      """
      select c.id, coalesce(d.length, 4 * pg_column_size(c.segments)) as bytes
      from captures c left join documents d on d.capture_id = c.id where c.id = any($1) order by 2
      """;

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
  private final Counter damaged;
  private final Counter unrenderable;
  private Future<Renewed> lastTurn = Future.succeededFuture();

  public DocumentStore(Vertx vertx, SqlClient client, Metrics metrics) {
    this(vertx, client, metrics, new TranscriptRenderer());
  }

  public DocumentStore(Vertx vertx, SqlClient client, Metrics metrics, DocumentRenderer renderer) {
    this.client = requireNonNull(client, "client is null");
    this.renderer = requireNonNull(renderer, "renderer is null");
    this.renderers = Renderers.of(vertx);
    this.damaged =
        metrics.counter(
            "egress_documents_damaged_total",
            "stored documents with a wrong checksum; each was rendered again");
    this.unrenderable =
        metrics.counter(
            "egress_documents_unrenderable_total", "failures to render a damaged capture");
  }

  /** The version of the documents rendered here. */
  public short rendererVersion() {
    return renderer.version();
  }

  /** Null if the stored document is stale. */
  public @Nullable Fragment read(Row row) {
    return isOutdated(row) ? null : undamaged(row);
  }

  /** Like {@link #read}, for callers that {@link #renew} stale documents. */
  public @Nullable Fragment readToRenew(UUID captureId, Row row) {
    if (isOutdated(row)) {
      return null;
    }
    Fragment fragment = undamaged(row);
    if (fragment == null) {
      damaged.increment();
      log.atWarn()
          .addKeyValue("capture_id", captureId)
          .log("A stored document is damaged; rendering it again");
    }
    return fragment;
  }

  /**
   * Renders and stores documents of the current state. Rendering takes many times a document's size
   * in memory, so large documents are rendered one at a time across all callers.
   */
  public Future<Renewed> renew(Collection<UUID> ids) {
    Renewed all = new Renewed(new HashMap<>(), new HashSet<>());
    if (ids.isEmpty()) {
      return Future.succeededFuture(all);
    }
    return client
        .preparedQuery(SIZES)
        .execute(Tuple.of(ids.toArray(UUID[]::new)))
        .compose(
            sizes -> {
              List<UUID> together = new ArrayList<>();
              List<UUID> alone = new ArrayList<>();
              long bytes = 0;
              for (Row row : sizes) {
                bytes += row.getLong("bytes");
                (bytes <= TOGETHER_BYTES_MAX ? together : alone).add(row.getUUID("id"));
              }
              Future<Renewed> renewed = renewTogether(together).map(all::with);
              for (UUID id : alone) {
                renewed = renewed.compose(before -> inTurn(id)).map(all::with);
              }
              return renewed;
            });
  }

  private synchronized Future<Renewed> inTurn(UUID id) {
    Future<Renewed> turn = lastTurn.transform(before -> renewTogether(List.of(id)));
    lastTurn = turn;
    return turn;
  }

  private Future<Renewed> renewTogether(List<UUID> ids) {
    return CaptureTable.read(client, ids)
        .compose(
            found ->
                renderers.executeBlocking(
                    () -> {
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
        .compose(
            rendered ->
                put(client, PUT_AGAIN, rendered.documents()).map(stored -> renewed(rendered)));
  }

  private Renewed renewed(Rendered rendered) {
    rendered.unrenderable().forEach(this::report);
    Map<UUID, RevisedDocument> documents = new HashMap<>();
    rendered.documents().forEach(document -> documents.put(document.captureId(), document));
    return new Renewed(documents, rendered.unrenderable().keySet());
  }

  private void report(UUID captureId, Throwable failure) {
    unrenderable.increment();
    log.atError()
        .addKeyValue("capture_id", captureId)
        .setCause(failure)
        .log("A capture is damaged and cannot be rendered until it is stored again with a change");
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

  private boolean isOutdated(Row row) {
    return row.getShort("renderer") < renderer.version();
  }

  private static @Nullable Fragment undamaged(Row row) {
    Fragment fragment =
        new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
    return fragment.checksum() == row.getInteger("checksum") ? fragment : null;
  }

  /** Stores within the caller's transaction. */
  public Future<Void> put(SqlClient client, List<RevisedDocument> documents) {
    return put(client, PUT, documents);
  }

  private Future<Void> put(SqlClient client, String statement, List<RevisedDocument> documents) {
    List<Tuple> rows =
        documents.stream()
            .map(
                document ->
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
