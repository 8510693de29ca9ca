package io.egress.dispatcher.notice;

import io.egress.platform.database.Rows;
import io.egress.platform.json.UtcInstant;
import io.egress.settings.PortalSettings;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.net.URI;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Notices to the operator. Each is stored in the transaction that records its event, so that none
 * is lost or written twice; a {@link NoticeSender} sends them.
 */
public final class OperatorNotices {
  public enum Event {
    ENDPOINT_FAILING("endpoint.failing"),
    ENDPOINT_RECOVERED("endpoint.recovered"),
    ENDPOINT_PAUSED("endpoint.paused"),
    ENDPOINT_EXHAUSTED("endpoint.exhausted"),
    QUEUE_LOST("queue.lost");

    private final String word;

    Event(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  private static final String ADD =
      "insert into operator_notices (event, workspace_id, data) values ($1, $2, $3)";

  /** Counting stops at a thousand, which shows the extent of the failure. */
  private static final String ENDPOINT =
      """
      select e.workspace_id, w.name as workspace_name, e.spec->>'url' as url, e.spec->>'description' as description, e.failing_since,
        (select count(*) from (
          select from deliveries where endpoint_id = e.id and state = 'pending' limit 1000) p) as retrying,
        (select count(*) from (
          select from deliveries where endpoint_id = e.id and state = 'exhausted' limit 1000) x) as exhausted
      from endpoints e join workspaces w on w.id = e.workspace_id where e.id = $1
      """;

  private final boolean wanted;
  private final String portal;

  /** Nothing is stored unless they are {@code wanted}. */
  public OperatorNotices(boolean wanted, PortalSettings portal) {
    this.wanted = wanted;
    URI url = portal.url();
    this.portal = url == null ? "" : url.toString();
  }

  public boolean areWanted() {
    return wanted;
  }

  /** About nothing of a workspace. */
  public void add(SqlConnection tx, Event event, JsonObject data) {
    if (wanted) {
      add(tx, event, null, data);
    }
  }

  /** With the state of the endpoint as the transaction sees it; {@code more} precedes it. */
  public void addAbout(SqlConnection tx, Event event, UUID endpointId, JsonObject more) {
    if (wanted) {
      Row endpoint = Rows.of(tx, ENDPOINT, endpointId).iterator().next();
      JsonObject data = about(endpointId, endpoint).mergeIn(more);
      add(tx, event, endpoint.getUUID("workspace_id"), data);
    }
  }

  private static void add(
      SqlConnection tx, Event event, @Nullable UUID workspaceId, JsonObject data) {
    Rows.of(tx, ADD, event.word(), workspaceId, data);
  }

  private JsonObject about(UUID endpointId, Row row) {
    UUID workspaceId = row.getUUID("workspace_id");
    String page = "/" + workspaceId + "/endpoints/" + endpointId;
    return new JsonObject()
        .put("workspace_id", workspaceId.toString())
        .put("workspace_name", row.getString("workspace_name"))
        .put("endpoint_id", endpointId.toString())
        .put("url", row.getString("url"))
        .put("description", row.getString("description"))
        .put("page", portal + "/portal" + page)
        .put("operator_page", portal + "/portal/operator" + page)
        .put("failing_since", time(Rows.optionalInstant(row, "failing_since")))
        .put("retrying", row.getLong("retrying"))
        .put("exhausted", row.getLong("exhausted"));
  }

  private static @Nullable String time(@Nullable Instant time) {
    return time == null ? null : UtcInstant.format(time);
  }
}
