package io.egress.document;

import static java.util.Objects.requireNonNull;

import io.egress.capture.CaptureReader;
import io.egress.capture.RevisedCapture;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Rendered documents in the database. A document counts only while its revision is its capture's;
 * it was rendered from one snapshot, so whoever stores it late can only store something that does
 * not count.
 */
public final class DocumentStore {
  private static final String PUT =
      """
      insert into documents as d (capture_id, revision, length, crc32, deflated) values ($1, $2, $3, $4, $5)
      on conflict (capture_id) do update
      set revision = excluded.revision, length = excluded.length, crc32 = excluded.crc32,
        deflated = excluded.deflated
      where d.revision < excluded.revision
      """;

  private final SqlClient client;
  private final CaptureReader captures;
  private final WorkerExecutor renderers;

  public DocumentStore(Vertx vertx, SqlClient client) {
    this.client = requireNonNull(client, "client is null");
    this.captures = new CaptureReader(client);
    this.renderers = Renderers.of(vertx);
  }

  /** Renders anew from the current state. Ids that do not exist are left out. */
  public Future<Map<UUID, Fragment>> renew(Collection<UUID> ids) {
    if (ids.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return captures
        .read(ids)
        .compose(this::render)
        .compose(
            rendered ->
                put(client, rendered)
                    .map(
                        done ->
                            rendered.stream()
                                .collect(
                                    Collectors.toMap(
                                        RevisedDocument::captureId, RevisedDocument::fragment))));
  }

  public Future<List<RevisedDocument>> render(List<RevisedCapture> captures) {
    return captures.isEmpty()
        ? Future.succeededFuture(List.of())
        : renderers.executeBlocking(
            () ->
                captures.stream()
                    .map(
                        revised ->
                            new RevisedDocument(
                                revised.capture().id(),
                                revised.revision(),
                                Fragment.of(revised.capture())))
                    .toList(),
            false);
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
                        document.fragment().deflated()))
            .toList();
    return rows.isEmpty()
        ? Future.succeededFuture()
        : client.preparedQuery(PUT).executeBatch(rows).mapEmpty();
  }
}
