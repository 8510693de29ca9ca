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
    READER_STOPPED("reader.stopped"),
    READER_RESUMED("reader.resumed"),
    QUEUE_LOST("queue.lost");

    private final String word;

    Event(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /** What a notice is about. {@code page} is where people see it, below their pages' address. */
  public record Subject(UUID workspaceId, @Nullable String workspaceName, String page) {}

  private static final String ADD =
      "insert into operator_notices (event, workspace_id, data) values ($1, $2, $3)";

  /** Counting stops at a thousand, which shows the extent of the failure. */
  private static final String ENDPOINT =
      """
      select e.workspace_id, w.name as workspace_name, e.spec->>'url' as url, e.spec->>'description' as description, e.failing_since,
        (select held_capture from turns where endpoint_id = e.id) as held_capture,
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

  /** About something of a workspace with a page; {@code more} follows that. */
  public void addAbout(SqlConnection tx, Event event, Subject subject, JsonObject more) {
    if (wanted) {
      add(tx, event, subject.workspaceId(), about(subject).mergeIn(more));
    }
  }

  private static void add(
      SqlConnection tx, Event event, @Nullable UUID workspaceId, JsonObject data) {
    Rows.of(tx, ADD, event.word(), workspaceId, data);
  }

  private JsonObject about(UUID endpointId, Row row) {
    Subject subject =
        new Subject(
            row.getUUID("workspace_id"),
            row.getString("workspace_name"),
            "/endpoints/" + endpointId);
    JsonObject data = about(subject);
    UUID held = row.getUUID("held_capture");
    if (held != null) {
      data.put("held_capture_id", held.toString());
    }
    return data.put("endpoint_id", endpointId.toString())
        .put("url", row.getString("url"))
        .put("description", row.getString("description"))
        .put("failing_since", time(Rows.optionalInstant(row, "failing_since")))
        .put("retrying", row.getLong("retrying"))
        .put("exhausted", row.getLong("exhausted"));
  }

  private JsonObject about(Subject subject) {
    String page = "/" + subject.workspaceId() + subject.page();
    return new JsonObject()
        .put("workspace_id", subject.workspaceId().toString())
        .put("workspace_name", subject.workspaceName())
        .put("page", portal + "/portal" + page)
        .put("operator_page", portal + "/portal/operator" + page);
  }

  static @Nullable String time(@Nullable Instant time) {
    return time == null ? null : UtcInstant.format(time);
  }
}
