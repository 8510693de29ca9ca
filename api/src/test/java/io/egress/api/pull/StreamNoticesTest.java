package io.egress.api.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.pull.HeldPulls.End;
import io.egress.api.pull.HeldPulls.Held;
import io.egress.transcript.stream.Feed;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each of the ways to learn that a stream has grown, without the others. */
class StreamNoticesTest {
  private static final Duration NEVER = Duration.ofHours(1);
  private static final Duration OFTEN = Duration.ofMillis(50);
  private static final String APPLICATION = "the test of notices";
  private static final String LISTENING =
      "from pg_stat_activity where query like 'listen%' and state = 'idle' and application_name = '"
          + APPLICATION
          + "'";

  private static Service service;

  private final UUID workspace = UUID.randomUUID();
  private Pool pool;
  private HeldPulls pulls;
  private UUID keyId;

  @BeforeAll
  static void startService() {
    service = Service.start();
  }

  @AfterAll
  static void stopService() {
    service.close();
  }

  @BeforeEach
  void open() {
    PgConnectOptions database =
        PgConnectOptions.fromUri(service.environment.get("EGRESS_DATABASE_URL"));
    database.getProperties().put("application_name", APPLICATION);
    pool =
        PgBuilder.pool()
            .connectingTo(database)
            .with(new PoolOptions().setMaxSize(StreamNotices.CONNECTIONS))
            .using(service.vertx)
            .build();
    pulls = new HeldPulls(service.vertx, 100);
    service.mintKey(workspace);
    keyId =
        service
            .query("select id from api_keys where workspace_id = '" + workspace + "'")
            .iterator()
            .next()
            .getUUID(0);
  }

  @AfterEach
  void close() {
    Service.await(pool.close());
    assertThat(pulls.count()).isZero();
  }

  @Test
  void aStreamThatGrewBeforeTheRequestWasHeldIsFoundByItsCheck() {
    service.enter(workspace, 1);
    StreamNotices notices = notices(false, NEVER);
    assertThat(Service.await(hold(notices, 0).ended())).isEqualTo(End.LOOK_AGAIN);
    notices.close();
  }

  @Test
  void aStreamThatGrowsIsNotified() {
    StreamNotices notices = notices(true, NEVER);
    Held held = hold(notices, 0);
    await().until(() -> service.query("select " + LISTENING).size() == 1);
    service.enter(workspace, 1);
    assertThat(Service.await(held.ended())).isEqualTo(End.LOOK_AGAIN);
    notices.close();
  }

  @Test
  void aDeletedKeyIsNotified() {
    StreamNotices notices = notices(true, NEVER);
    Held held = hold(notices, 0);
    await().until(() -> service.query("select " + LISTENING).size() == 1);
    service.query("delete from api_keys where id = '" + keyId + "'");
    assertThat(Service.await(held.ended())).isEqualTo(End.LOOK_AGAIN);
    notices.close();
  }

  @Test
  void withoutNotificationsTheStreamIsPolled() {
    StreamNotices notices = notices(false, OFTEN);
    Held held = hold(notices, 0);
    service.enter(workspace, 1);
    assertThat(Service.await(held.ended())).isEqualTo(End.LOOK_AGAIN);

    Held atTheEnd = hold(notices, 1);
    service.query("update api_keys set expires_at = now() where id = '" + keyId + "'");
    assertThat(Service.await(atTheEnd.ended())).as("its key expired").isEqualTo(End.LOOK_AGAIN);
    assertThat(service.query("select " + LISTENING).size()).isZero();
    notices.close();
  }

  @Test
  void itListensAgainAfterItsConnectionWasLost() {
    StreamNotices notices = notices(true, OFTEN);
    Held held = hold(notices, 0);
    for (int i = 0; i < 2; i++) {
      await()
          .until(() ->
              service
                      .query(
                          "select from pg_stat_activity where application_name = '"
                              + APPLICATION
                              + "'")
                      .size()
                  > 0);
      service.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = '"
              + APPLICATION
              + "'");
    }
    service.enter(workspace, 1);
    assertThat(Service.await(held.ended())).isEqualTo(End.LOOK_AGAIN);
    notices.close();
  }

  private StreamNotices notices(boolean canListen, Duration interval) {
    return new StreamNotices(service.vertx, pool, pulls, canListen, interval);
  }

  private Held hold(StreamNotices notices, long position) {
    Held held = pulls.hold(keyId, workspace, Feed.CAPTURES, position, Duration.ofMinutes(5));
    notices.check(held);
    return held;
  }
}
