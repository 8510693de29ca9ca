package io.egress.dispatcher.pause;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.webhook.endpoint.EndpointTarget;
import io.egress.webhook.endpoint.EndpointTargets;
import io.egress.webhook.send.Exchanged;
import io.egress.webhook.send.FailureKind;
import io.egress.webhook.send.Outcome;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Promise;
import io.vertx.sqlclient.SqlConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How attempts, which end on event loops, change the endpoint's row. */
@Execution(ExecutionMode.CONCURRENT)
class FailingEndpointsTest {
  private static final int SERIES = 20;

  private final Fleet fleet = new Fleet();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void theWritesOfAnEndpointKeepTheirOrderAndNoEventLoopWaitsForThem() {
    UUID id = fleet.endpoint(UUID.randomUUID(), "crm").id();
    EndpointTarget target =
        requireNonNull(Fleet.await(EndpointTargets.byIds(fleet.database, List.of(id))).get(id));
    recordChanges();
    SqlConnection holder = Fleet.await(fleet.database.getConnection());
    Fleet.await(holder.query("begin; select from endpoints for update").execute());

    Promise<Void> called = Promise.promise();
    FailingEndpoints failing = failing();
    fleet.vertx.runOnContext(_ -> {
      for (int i = 0; i < SERIES; i++) {
        failing.failed(target, Instant.now().minusSeconds(60), refused());
        failing.delivered(target);
      }
      called.complete();
    });
    Fleet.await(called.future());
    assertThat(fleet.count("written")).isZero();
    Fleet.await(holder.query("commit").execute());
    Fleet.await(holder.close());

    await().until(() -> fleet.count("written") == 2 * SERIES);
    List<Boolean> changes = new ArrayList<>();
    fleet
        .query("select fails from written order by n")
        .forEach(row -> changes.add(row.getBoolean(0)));
    for (int i = 0; i < 2 * SERIES; i++) {
      assertThat(changes.get(i)).as("change %d", i).isEqualTo(i % 2 == 0);
    }
  }

  private void recordChanges() {
    Fleet.await(
        fleet
            .database
            .query(
                """
                create table written (n bigserial, fails boolean);
                create function record_change() returns trigger language plpgsql as $$
                begin
                  insert into written (fails) values (new.failing_since is not null);
                  return new;
                end
                $$;
                create trigger record_change before update on endpoints
                  for each row execute function record_change();
                """)
            .execute());
  }

  private FailingEndpoints failing() {
    return new FailingEndpoints(
        fleet.database,
        Clock.systemUTC(),
        null,
        new SimpleMeterRegistry().counter("paused"),
        new OperatorNotices(false, fleet.settings.api().portal()));
  }

  private static Outcome.Failed refused() {
    return new Outcome.Failed(
        FailureKind.STATUS, 503, "answered 503", Duration.ZERO, Exchanged.NOTHING);
  }
}
