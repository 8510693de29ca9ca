package io.egress.api.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.Service;
import io.egress.api.intake.CaptureBody;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The device that all captures name is locked while they are put, so that they have to wait. */
class CombinedPutsTest {
  private static Service service;
  private static CombinedPuts puts;
  private static CombinedPuts putsOfAnotherProcess;

  private final UUID workspace = UUID.randomUUID();

  @BeforeAll
  static void start() {
    service = Service.start();
    CaptureWriter writer =
        new CaptureWriter(
            service.database,
            new DocumentStore(service.vertx, service.database, new Metrics()),
            new Hook.Wakeups(_ -> {}, () -> {}));
    puts = new CombinedPuts(service.vertx, writer);
    putsOfAnotherProcess = new CombinedPuts(service.vertx, writer);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void combinesWaitingPutsIntoOneTransaction() {
    SqlConnection lock = lockTheDevice();
    List<Future<PutResult>> all =
        IntStream.range(0, 30).mapToObj(i -> put(UUID.randomUUID(), "Talk " + i)).toList();
    release(lock);

    assertThat(all).allSatisfy(put -> assertThat(Service.await(put)).isEqualTo(PutResult.CREATED));
    assertThat(transactions()).isEqualTo(3);
  }

  @Test
  void refusesOneWithoutAffectingTheOthers() {
    service.query(
        """
        create or replace function refuse_a_title() returns trigger language plpgsql as $$
        begin
          raise exception 'refused' using errcode = 'check_violation';
        end $$;
        create or replace trigger refuse before insert on captures for each row
          when (new.title = 'Refused') execute function refuse_a_title()
        """);
    SqlConnection lock = lockTheDevice();
    List<Future<PutResult>> all =
        IntStream.range(0, 10)
            .mapToObj(i -> put(UUID.randomUUID(), i == 5 ? "Refused" : "Talk"))
            .toList();
    release(lock);

    assertThat(Service.await(all.get(5).otherwise(PutResult.UNCHANGED)))
        .isEqualTo(PutResult.UNCHANGED);
    assertThat(all.get(5).cause()).isInstanceOf(PgException.class).hasMessageContaining("refused");
    assertThat(Stream.concat(all.subList(0, 5).stream(), all.subList(6, 10).stream()))
        .allSatisfy(put -> assertThat(Service.await(put)).isEqualTo(PutResult.CREATED));
  }

  @Test
  void forgetsAWaitingPutWhoseRequestIsOver() {
    Promise<Void> over = Promise.promise();
    UUID begun = UUID.randomUUID();
    UUID waiting = UUID.randomUUID();
    SqlConnection lock = lockTheDevice();
    Future<PutResult> inTransaction = put(puts, begun, "Talk", over.future());
    await().until(() -> waitingForALock() == 1);
    Future<PutResult> queued = put(puts, waiting, "Talk", over.future());
    over.fail("the client has gone");

    await().until(queued::failed);
    assertThat(inTransaction.isComplete()).as("it still holds memory").isFalse();
    release(lock);
    assertThat(Service.await(inTransaction)).isEqualTo(PutResult.CREATED);
    assertThat(Service.await(put(waiting, "Talk"))).isEqualTo(PutResult.CREATED);
  }

  @Test
  void appliesUpdatesOfOneCaptureInOrder() {
    UUID id = UUID.randomUUID();
    SqlConnection lock = lockTheDevice();
    List<Future<PutResult>> others =
        IntStream.range(0, 2).mapToObj(i -> put(UUID.randomUUID(), "Talk " + i)).toList();
    List<Future<PutResult>> fixes =
        Stream.of("First", "Second", "Second").map(title -> put(id, title)).toList();
    release(lock);

    others.forEach(Service::await);
    assertThat(fixes.stream().map(Service::await))
        .containsExactly(PutResult.CREATED, PutResult.UPDATED, PutResult.UNCHANGED);
  }

  /** Both have seen that it is not there before either writes it. */
  @Test
  void twoProcessesThatPutTheSameCaptureCreateItOnce() {
    UUID same = UUID.randomUUID();
    UUID fixed = UUID.randomUUID();
    SqlConnection lock = lockTheDevice();
    List<Future<PutResult>> puts =
        List.of(
            put(same, "Talk"),
            put(putsOfAnotherProcess, same, "Talk"),
            put(fixed, "Talk"),
            put(putsOfAnotherProcess, fixed, "Talk, fixed"));
    await().until(() -> waitingForALock() == 2);
    release(lock);

    List<PutResult> results = puts.stream().map(Service::await).toList();
    assertThat(results.subList(0, 2))
        .containsExactlyInAnyOrder(PutResult.CREATED, PutResult.UNCHANGED);
    assertThat(results.subList(2, 4))
        .containsExactlyInAnyOrder(PutResult.CREATED, PutResult.UPDATED);
    await()
        .untilAsserted(() ->
            assertThat(service.query("select capture_id from stream"))
                .extracting(row -> row.getUUID(0))
                .containsOnlyOnce(same, fixed));
  }

  private Future<PutResult> put(UUID id, String title) {
    return put(puts, id, title);
  }

  private Future<PutResult> put(CombinedPuts through, UUID id, String title) {
    return put(through, id, title, Promise.<Void>promise().future());
  }

  private Future<PutResult> put(
      CombinedPuts through, UUID id, String title, Future<Void> cutShort) {
    JsonObject capture = Service.capture(workspace).put("title", title);
    return through.put(CaptureBody.read(capture.toBuffer(), id).orRefuse(), null, cutShort);
  }

  private SqlConnection lockTheDevice() {
    Service.await(put(UUID.randomUUID(), "The one that adds the device"));
    SqlConnection lock = Service.await(service.database.getConnection());
    Service.await(lock.begin());
    Service.await(
        lock.query("select from devices where workspace_id = '" + workspace + "' for update")
            .execute());
    return lock;
  }

  private static int waitingForALock() {
    return service
        .query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
        .size();
  }

  private static void release(SqlConnection lock) {
    Service.await(lock.transaction().commit());
    Service.await(lock.close());
  }

  /** Without the one that added the device. */
  private long transactions() {
    return service
            .query(
                "select count(distinct xmin::text) as n from captures where workspace_id = '"
                    + workspace
                    + "'")
            .iterator()
            .next()
            .getLong("n")
        - 1;
  }
}
