package io.egress.dispatcher.reconcile;

import io.egress.platform.database.Rows;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.EnteredCapture;
import io.egress.webhook.delivery.Owed;
import io.egress.webhook.deliverylog.LoggedDeliveries;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds first deliveries that are owed and missing from the delivery log, page by page. */
final class MissingDeliveries {
  private static final int POSITIONS_MAX = 1_000;

  /** A null time bound does not limit: the function is strict. */
  private static final String OWED =
      """
      select %s from stream s
      where workspace_id = $1
        and position > greatest($2::bigint, stream_position_before($1, now() - $3::bigint * interval '1 ms'))
        and position <= least($4::bigint, stream_position_before($1, now() - $5::bigint * interval '1 ms'))
      order by position limit %d
      """
          .formatted(EnteredCapture.COLUMNS, POSITIONS_MAX);

  /**
   * Of an endpoint {@code e}, as a column: how far what is live was published if it is behind. What
   * follows is not in Kafka yet.
   */
  static final String LIVE_UP_TO =
      """
      coalesce((
        select next_position - 1 from catch_ups
        where endpoint_id = e.id and not is_done), %d) as live_up_to\
      """
          .formatted(Long.MAX_VALUE);

  /**
   * A part of the captures owed to an endpoint.
   *
   * @param upTo the last position
   * @param oldest captures that entered the stream earlier are left out; null for all
   * @param newest captures that entered the stream later are left out; null for all
   */
  record Scope(
      Owed owed,
      UUID workspaceId,
      long upTo,
      @Nullable Duration oldest,
      @Nullable Duration newest) {

    static Scope live(Owed owed, UUID workspaceId, long upTo, Duration oldest, Duration newest) {
      return new Scope(owed, workspaceId, upTo, oldest, newest);
    }

    static Scope history(Owed owed, UUID workspaceId, long upTo) {
      return new Scope(owed, workspaceId, upTo, null, null);
    }

    private List<Delivery> deliveries(List<EnteredCapture> captures) {
      return captures.stream().filter(owed::admits).map(owed::first).toList();
    }
  }

  /**
   * A page of the comparison.
   *
   * @param missing sorted by position
   * @param reached the last position compared
   * @param isLast whether nothing follows
   */
  record Page(List<Delivery> missing, long reached, boolean isLast) {}

  private MissingDeliveries() {}

  static Page above(SqlClient client, Scope scope, long position) {
    List<EnteredCapture> entered =
        Rows.list(
            Rows.of(
                client,
                OWED,
                scope.workspaceId(),
                position,
                scope.oldest(),
                scope.upTo(),
                scope.newest()),
            EnteredCapture::of);
    return entered.isEmpty()
        ? new Page(List.of(), position, true)
        : new Page(
            LoggedDeliveries.missing(client, scope.deliveries(entered)).await(),
            entered.getLast().position(),
            entered.size() < POSITIONS_MAX);
  }
}
