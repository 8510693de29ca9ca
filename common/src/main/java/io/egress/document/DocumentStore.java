package io.egress.document;

import static java.util.Objects.requireNonNull;

import io.egress.capture.CaptureReader;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rendered documents in the database. A document is stale unless the view {@code current_documents}
 * has it and its checksum agrees. It was rendered from one snapshot of its capture, so storing it
 * late stores at worst something stale.
 */
public final class DocumentStore {
  /** What {@link #read} needs of a row of {@code current_documents d}. */
  public static final String COLUMNS = "d.length, d.crc32, d.checksum, d.deflated";

  private static final Logger log = LoggerFactory.getLogger(DocumentStore.class);

  private static final String PUT =
      """
      insert into documents as d (capture_id, revision, length, crc32, checksum, deflated)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (capture_id) do update
      set revision = excluded.revision, length = excluded.length, crc32 = excluded.crc32,
        checksum = excluded.checksum, deflated = excluded.deflated
      where d.revision <= excluded.revision
      """;

  /**
   * Documents rendered from the current state of their captures. Captures that do not exist are in
   * neither.
   */
  public record Renewed(Map<UUID, Fragment> documents, Set<UUID> unrenderable) {}

  private record Rendered(List<RevisedDocument> documents, Map<UUID, Throwable> unrenderable) {}

  private final SqlClient client;
  private final CaptureReader captures;
  private final WorkerExecutor renderers;
  private final Counter damaged;
  private final Counter unrenderable;

  public DocumentStore(Vertx vertx, SqlClient client, Metrics metrics) {
    this.client = requireNonNull(client, "client is null");
    this.captures = new CaptureReader(client);
    this.renderers = Renderers.of(vertx);
    this.damaged =
        metrics.counter(
            "egress_documents_damaged_total",
            "stored documents whose checksum did not agree; each was rendered again");
    this.unrenderable =
        metrics.counter(
            "egress_documents_unrenderable_total",
            "times that a damaged capture could not be rendered");
  }

  /** Null when the stored document is damaged, which makes it stale. */
  public static @Nullable Fragment read(Row row) {
    Fragment fragment =
        new Fragment(row.getBuffer("deflated"), row.getInteger("crc32"), row.getLong("length"));
    return fragment.checksum() == row.getInteger("checksum") ? fragment : null;
  }

  /** As {@link #read}, for a caller who will {@link #renew} what is damaged. */
  public @Nullable Fragment readToRenew(UUID captureId, Row row) {
    Fragment fragment = read(row);
    if (fragment == null) {
      damaged.increment();
      log.atWarn()
          .addKeyValue("capture_id", captureId)
          .log("A stored document is damaged; rendering it again");
    }
    return fragment;
  }

  /** Renders and stores documents of the current state. */
  public Future<Renewed> renew(Collection<UUID> ids) {
    if (ids.isEmpty()) {
      return Future.succeededFuture(new Renewed(Map.of(), Set.of()));
    }
    return captures
        .read(ids)
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
        .compose(rendered -> put(client, rendered.documents()).map(stored -> renewed(rendered)));
  }

  private Renewed renewed(Rendered rendered) {
    rendered.unrenderable().forEach(this::report);
    Map<UUID, Fragment> fragments = new HashMap<>();
    rendered
        .documents()
        .forEach(document -> fragments.put(document.captureId(), document.fragment()));
    return new Renewed(fragments, rendered.unrenderable().keySet());
  }

  private void report(UUID captureId, Throwable failure) {
    unrenderable.increment();
    log.atError()
        .addKeyValue("capture_id", captureId)
        .setCause(failure)
        .log("A capture is damaged and cannot be rendered until it is put again with a change");
  }

  public Future<List<RevisedDocument>> render(List<RevisedCapture> revised) {
    return revised.isEmpty()
        ? Future.succeededFuture(List.of())
        : renderers.executeBlocking(
            () -> revised.stream().map(DocumentStore::render).toList(), false);
  }

  private static RevisedDocument render(RevisedCapture revised) {
    return new RevisedDocument(
        revised.capture().id(), revised.revision(), Fragment.of(revised.capture()));
  }

  /** Stores as part of the caller's transaction. */
  public static Future<Void> put(SqlClient client, List<RevisedDocument> documents) {
    List<Tuple> rows =
        documents.stream()
            .map(
                document ->
                    Tuple.of(
                        document.captureId(),
                        document.revision(),
                        document.fragment().length(),
                        document.fragment().crc32(),
                        document.fragment().checksum(),
                        document.fragment().deflated()))
            .toList();
    return rows.isEmpty()
        ? Future.succeededFuture()
        : client.preparedQuery(PUT).executeBatch(rows).mapEmpty();
  }
}
