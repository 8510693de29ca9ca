package io.egress.api.background;

import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.transcript.document.DocumentStore;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
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
  private final Transactions transactions;
  private final DocumentStore documents;
  private final short version;
  private boolean begun;
  private boolean complete;

  Rerendering(Pool pool, DocumentStore documents) {
    this.pool = pool;
    this.transactions = new Transactions(pool);
    this.documents = documents;
    this.version = documents.rendererVersion();
  }

  /** Renders at most one chunk, so that hooks and pulls get their share of the render threads. */
  void run() {
    if (complete) {
      return;
    }
    if (!begun) {
      Rows.of(pool, BEGIN, version);
      begun = true;
    }
    complete = transactions.call(this::chunk);
  }

  /** Returns whether it was the last one. */
  private boolean chunk(SqlConnection tx) {
    RowSet<Row> claimed = Rows.of(tx, CLAIM, version);
    if (claimed.size() == 0) {
      return false;
    }
    UUID last = claimed.iterator().next().getUUID("done_up_to");
    RowSet<Row> rows = Rows.of(tx, NEXT, last, CHUNK_DOCUMENTS_MAX);
    List<UUID> outdated = new ArrayList<>();
    for (Row row : rows) {
      last = row.getUUID("capture_id");
      if (row.getShort("renderer") < version) {
        outdated.add(last);
      }
    }
    boolean isLast = rows.size() < CHUNK_DOCUMENTS_MAX;
    documents.renew(outdated).await();
    Rows.of(tx, ADVANCE, version, last, isLast);
    return isLast;
  }
}
