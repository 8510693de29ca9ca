package io.egress.dispatcher.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.reconcile.MissingDeliveries.Page;
import io.egress.dispatcher.reconcile.MissingDeliveries.Scope;
import io.egress.platform.database.Database;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.Owed;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is read for an endpoint, in a long stream of which little is to be compared. */
@Execution(ExecutionMode.CONCURRENT)
class MissingDeliveriesTest {
  private static final int FORGOTTEN = 20_000;
  private static final int TO_COMPARE = 30;
  private static final int YOUNG = 20_000;
  private static final Duration REMEMBERED = Duration.ofDays(29);
  private static final Duration AFTER = Duration.ofDays(1);
  private static final int ENDPOINTS = 20;
  private static final String ROWS_READ =
      """
      select seq_tup_read + idx_tup_fetch as read
      from pg_stat_xact_user_tables where relname = 'stream'
      """;

  private final Fleet fleet = new Fleet();
  private final UUID workspace = UUID.randomUUID();

  @BeforeEach
  void fillTheStream() {
    fleet.query(
        "insert into workspaces (id, stream_head) values ('%s', %d)"
            .formatted(workspace, FORGOTTEN + TO_COMPARE + YOUNG));
    fleet.query(
        "insert into devices (workspace_id, id) values ('%1$s', '%1$s')".formatted(workspace));
    enter(1, FORGOTTEN, "40 days");
    enter(FORGOTTEN + 1, TO_COMPARE, "2 days");
    enter(FORGOTTEN + TO_COMPARE + 1, YOUNG, "1 minute");
  }

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void readsLittleMoreThanWhatItCompares() {
    Pool looking = Database.pool(fleet.vertx, fleet.settings.database(), "looking", 1);
    SqlConnection connection = Fleet.await(looking.getConnection());
    Fleet.await(connection.begin());
    for (int i = 0; i < ENDPOINTS; i++) {
      checkAnEndpoint(connection);
    }

    long read =
        Fleet.await(connection.query(ROWS_READ).execute()).iterator().next().getLong("read");

    assertThat(read / ENDPOINTS).as("rows for an endpoint").isBetween(1L, 10L * TO_COMPARE);
    Fleet.await(looking.close());
  }

  private void checkAnEndpoint(SqlClient client) {
    Owed owed = new Owed(UUID.randomUUID(), 0, Instant.EPOCH, false, List.of());
    Scope scope = Scope.live(owed, workspace, Long.MAX_VALUE, REMEMBERED, AFTER);
    Page page = MissingDeliveries.above(client, scope, 0);
    assertThat(page.missing())
        .extracting(Delivery::position)
        .hasSize(TO_COMPARE)
        .startsWith(FORGOTTEN + 1L)
        .endsWith((long) FORGOTTEN + TO_COMPARE);
    assertThat(page.isLast()).isTrue();
    assertThat(MissingDeliveries.above(client, scope, page.reached()).missing()).isEmpty();
  }

  private void enter(int first, int count, String ago) {
    fleet.query(
        """
        insert into captures (id, workspace_id, device_id, mode, started_at, speakers, members, digest, entered)
        select md5(n::text)::uuid, '%1$s', '%1$s', 'manual', now(), '{}', '{}', '', true
        from generate_series(%2$d, %3$d) n
        """
            .formatted(workspace, first, first + count - 1));
    fleet.query(
        """
        insert into stream (workspace_id, position, capture_id, chain, entered_at)
        select '%s', n, md5(n::text)::uuid, 0, now() - interval '%s' from generate_series(%d, %d) n
        """
            .formatted(workspace, ago, first, first + count - 1));
  }
}
