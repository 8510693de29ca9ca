package io.egress.dispatcher.documents;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.egress.platform.json.UtcInstant;
import io.egress.webhook.send.DocumentHead;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The data of erasure notifications, in place of a document. */
public final class ErasureDocuments {
  private static final String READ =
      """
      select e.capture_id, e.erased_at, e.reason, c.revision
      from erasures e join captures c on c.id = e.capture_id where e.capture_id = any($1)
      """;

  private static final String EMITTED_AT = ",\"emitted_at\":\"";

  private ErasureDocuments() {}

  /** Without captures that were not erased. */
  public static Future<Map<UUID, DocumentHead>> read(
      SqlClient client, Collection<UUID> captureIds) {
    return client
        .preparedQuery(READ)
        .execute(Tuple.tuple().addArrayOfUUID(captureIds.toArray(UUID[]::new)))
        .map(rows -> {
          Map<UUID, DocumentHead> heads = new HashMap<>();
          rows.forEach(row -> heads.put(row.getUUID("capture_id"), head(row)));
          return heads;
        });
  }

  private static DocumentHead head(Row row) {
    String erasure =
        new JsonObject()
            .put("id", row.getUUID("capture_id").toString())
            .put("erased_at", UtcInstant.format(row.getOffsetDateTime("erased_at").toInstant()))
            .put("reason", row.getString("reason"))
            .encode();
    String open = erasure.substring(0, erasure.length() - 1);
    return new DocumentHead(row.getLong("revision"), (open + EMITTED_AT).getBytes(UTF_8));
  }
}
