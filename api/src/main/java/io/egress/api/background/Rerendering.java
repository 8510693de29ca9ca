package io.egress.api.background;

import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Renders the documents written by an earlier version of the renderer, in order of capture ids.
 * Readers do not wait for it: they render what they need. One process works at a time, and another
 * continues where it stopped.
 */
final class Rerendering {
  private static final int CHUNK_DOCUMENTS_MAX = 100;

  private static final String BEGIN =
      "insert into renderings (renderer) values ($1) on conflict do nothing";
  private static final String CLAIM =
      "select done_up_to from renderings where renderer = $1 and not complete for no key update skip locked";
  private static final String NEXT =
      "select capture_id, renderer from documents where capture_id > $1 order by capture_id limit $2";
  private static final String ADVANCE =
      "update renderings set done_up_to = $2, complete = $3 where renderer = $1";

  private final Pool pool;
  private final DocumentStore documents;
  private final short version;
  private boolean begun;
  private boolean complete;

  Rerendering(Pool pool, DocumentStore documents) {
    this.pool = pool;
    this.documents = documents;
    this.version = documents.rendererVersion();
  }

  /** Renders at most one chunk, so that hooks and pulls get their share of the render threads. */
  Future<Void> run() {
    return complete
        ? Future.succeededFuture()
        : begin().compose(_ -> pool.withTransaction(this::chunk));
  }

  private Future<Void> begin() {
    return begun
        ? Future.succeededFuture()
        : pool.preparedQuery(BEGIN)
            .execute(Tuple.of(version))
            .onSuccess(_ -> begun = true)
            .mapEmpty();
  }

  private Future<Void> chunk(SqlConnection tx) {
    return tx.preparedQuery(CLAIM)
        .execute(Tuple.of(version))
        .compose(claimed -> {
          if (claimed.size() == 0) {
            return Future.succeededFuture();
          }
          UUID after = claimed.iterator().next().getUUID("done_up_to");
          return tx.preparedQuery(NEXT)
              .execute(Tuple.of(after, CHUNK_DOCUMENTS_MAX))
              .compose(rows -> render(tx, rows, after));
        });
  }

  private Future<Void> render(SqlConnection tx, RowSet<Row> rows, UUID after) {
    List<UUID> outdated = new ArrayList<>();
    UUID last = after;
    for (Row row : rows) {
      last = row.getUUID("capture_id");
      if (row.getShort("renderer") < version) {
        outdated.add(last);
      }
    }
    boolean isLast = rows.size() < CHUNK_DOCUMENTS_MAX;
    Tuple reached = Tuple.of(version, last, isLast);
    return documents
        .renew(outdated)
        .compose(_ -> tx.preparedQuery(ADVANCE).execute(reached))
        .onSuccess(_ -> complete = isLast)
        .mapEmpty();
  }
}
