package io.egress.dispatcher.deliver;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.Arrival;
import io.egress.dispatcher.DispatcherApp;
import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.Receivers;
import io.egress.dispatcher.documents.DocumentCache;
import io.egress.dispatcher.fanout.FanOutVerticle;
import io.egress.dispatcher.metrics.DeliveryMeters;
import io.egress.dispatcher.metrics.WorkerStates;
import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.dispatcher.pause.FailingEndpoints;
import io.egress.dispatcher.supervise.BackendWait;
import io.egress.dispatcher.supervise.Restarts;
import io.egress.platform.backend.DatabaseState;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.platform.metrics.Metrics;
import io.egress.testing.TcpProxy;
import io.egress.transcript.document.DocumentStore;
import io.egress.webhook.delivery.Delivery;
import io.egress.webhook.delivery.DeliveryId;
import io.egress.webhook.deliverylog.LogDays;
import io.egress.webhook.send.NameLookup;
import io.egress.webhook.send.SenderSettings;
import io.egress.webhook.send.TrustedAuthorities;
import io.egress.webhook.send.WebhookSender;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.TrustOptions;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that fail unexpectedly: no record that was read is lost. */
@Execution(ExecutionMode.CONCURRENT)
class RestartTest {

  /** After the handshake, in the middle of what is done with the connection. */
  private static final int MESSAGES_OF_A_MIGRATION = 12;

  private final UUID workspace = UUID.randomUUID();
  private final Fleet fleet = new Fleet();
  private final Metrics metrics = new Metrics();

  @AfterEach
  void close() {
    fleet.close();
    metrics.close();
  }

  @Test
  void recordsWithImpossibleInstantsAreSkipped() {
    Fleet.Provisioned endpoint = fleet.endpoint(workspace, "crm");
    fleet.dispatcher();
    String record =
        """
        {"delivery_id":"%1$s","endpoint_id":"%2$s","capture_id":"%1$s","position":1,"origin":"live",
        "owed_at":"2026-01-01T00:00:00Z","attempt":1,"due_at":"-1000000000-01-01T00:00:00Z"}
        """
            .formatted(UUID.randomUUID(), endpoint.id());
    String key = endpoint.id().toString();
    Fleet.await(
        fleet.publisher.publish(
            List.of(new Message(fleet.topics.deliveries(), key, Buffer.buffer(record)))));
    fleet.captures(workspace, 5);

    await().until(() -> fleet.receivers.count() == 5);
  }

  @Test
  void aFailedWorkerReadsItsUncommittedRecordsAgain() throws Exception {
    fleet.stop(fleet.dispatcher());
    fleet.endpoint(workspace, "crm");
    fleet.receivers.behave("crm", Receivers.HANGING);
    Context context = deployWorker();
    publishDeliveries(10);
    await().until(() -> fleet.receivers.count() > 0);
    fleet.receivers.behave("crm", Receivers.FINE);

    context.runOnContext(_ -> {
      throw new IllegalStateException("thrown by a test");
    });

    await().until(() -> fleet.count("deliveries where state = 'delivered'") == 10);
    assertThat(fleet.count("attempts")).as("an abort of ours is no outcome").isEqualTo(10);
    assertThat(metrics.scrape())
        .contains("egress_dispatcher_restarts_total{part=\"delivery\",reason=\"failure\"} 1.0");
  }

  @Test
  void aFailedFanOutReadsItsUncommittedRecordsAgain() throws Exception {
    fleet.stop(fleet.dispatcher());
    fleet.endpoint(workspace, "crm");
    Context context = deploy(fanOut());
    SqlConnection blocking = Fleet.await(fleet.database.getConnection());
    Fleet.await(blocking.query("begin; lock table endpoints").execute());
    fleet.captures(workspace, 5);
    await().until(() -> waitingForALock() > 0);

    context.runOnContext(_ -> {
      throw new IllegalStateException("thrown by a test");
    });
    await()
        .until(() ->
            metrics
                .scrape()
                .contains(
                    "egress_dispatcher_restarts_total{part=\"fan_out\",reason=\"failure\"} 1.0"));
    Fleet.await(blocking.query("commit").execute());
    Fleet.await(blocking.close());

    fleet.dispatcher();
    await().until(() -> arrived().size() == 5);
    fleet.captures(workspace, 5);
    await().until(() -> arrived().size() == 10);
  }

  /** Records may come before or after it knows that its database is away. */
  @ParameterizedTest
  @Tag("full")
  @ValueSource(booleans = {false, true})
  void aDispatcherWithoutItsDatabaseLeavesItsPartitionsToAnother(boolean knows) throws Exception {
    for (int i = 0; i < 8; i++) {
      fleet.endpoint(workspace, "r" + i);
    }
    String url = fleet.settings.database().url();
    try (TcpProxy proxy = TcpProxy.open(URI.create(url).getPort())) {
      DispatcherApp cutOff =
          fleet.dispatcher(Map.of("EGRESS_DATABASE_URL", proxy.url(url), "stall", "1s"));
      fleet.dispatcher();
      await().until(() -> membersWithPartitions() == 4);
      proxy.stall();
      if (knows) {
        await().until(() -> !hasItsDatabase(cutOff));
      }
      for (int i = 0; i < 4; i++) {
        fleet.captures(UUID.randomUUID(), 1);
      }
      fleet.captures(workspace, 5);

      await().until(() -> arrived().size() == 40);
      proxy.resume();
      await().until(() -> membersWithPartitions() == 4);
    }
  }

  @Test
  @Tag("full")
  void aDispatcherWhoseFirstConnectionsToTheDatabaseBreakStarts() {
    fleet.endpoint(workspace, "crm");
    String url = fleet.settings.database().url();
    try (TcpProxy proxy = TcpProxy.open(URI.create(url).getPort())) {
      proxy.resetNext(2, "flyway", MESSAGES_OF_A_MIGRATION);
      proxy.resetNext(2, "application_name\0egress\0", 1);
      fleet.dispatcher(Map.of("EGRESS_DATABASE_URL", proxy.url(url)));
      fleet.captures(workspace, 1);

      await().until(() -> arrived().size() == 1);
    }
  }

  /** Of both groups. */
  private long membersWithPartitions() throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()))) {
      return admin
          .describeConsumerGroups(
              List.of(fleet.topics.fanOutGroup(), fleet.topics.dispatcherGroup()))
          .all()
          .get()
          .values()
          .stream()
          .flatMap(group -> group.members().stream())
          .filter(member -> !member.assignment().topicPartitions().isEmpty())
          .count();
    }
  }

  private static boolean hasItsDatabase(DispatcherApp dispatcher) throws Exception {
    URI health =
        URI.create("http://127.0.0.1:" + dispatcher.internalPort().orElseThrow() + "/health/ready");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString())
        .body()
        .contains("\"database\":\"up\"");
  }

  private Set<UUID> arrived() {
    return fleet.receivers.arrivals().stream().map(Arrival::deliveryId).collect(Collectors.toSet());
  }

  private long waitingForALock() {
    return fleet.count(
        "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
  }

  private Context deployWorker() throws Exception {
    return deploy(
        new DeliveryVerticle(
            parts(),
            WorkerSettings.defaults(fleet.settings.dispatcher(), 4),
            Set.of(fleet.topics.deliveries(), fleet.topics.backfill())));
  }

  private FanOutVerticle fanOut() {
    return new FanOutVerticle(
        new FanOutVerticle.Dependencies(
            fleet.settings.kafka(),
            fleet.database,
            Clock.systemUTC(),
            fleet.publisher,
            metrics,
            new BackendWait(
                fleet.vertx, _ -> Future.succeededFuture(), _ -> Future.succeededFuture()),
            Duration.ofSeconds(10)));
  }

  /** Returns the context that the verticle runs on. */
  private Context deploy(Deployable verticle) throws Exception {
    CompletableFuture<Context> context = new CompletableFuture<>();
    Deployable observed =
        own -> {
          context.complete(own);
          return verticle.deploy(own);
        };
    Fleet.await(fleet.vertx.deployVerticle(observed));
    return context.get();
  }

  private DeliveryVerticle.Dependencies parts() throws IOException {
    TrustOptions trust = TrustedAuthorities.load(fleet.settings.dispatcher().extraTrust());
    WebhookSender sender =
        new WebhookSender(
            fleet.vertx,
            SenderSettings.DEFAULTS,
            fleet.settings.push().addressPolicy(),
            NameLookup.using(fleet.vertx),
            trust);
    return new DeliveryVerticle.Dependencies(
        fleet.settings,
        requireNonNull(fleet.settings.push().secretBox()),
        sender,
        fleet.database,
        Clock.systemUTC(),
        new DocumentStore(fleet.vertx, fleet.database, metrics),
        new DocumentCache(1 << 20),
        new LogDays(Clock.systemUTC(), Duration.ofDays(2)),
        fleet.publisher,
        new DeliveryMeters(metrics, fleet.settings.dispatcher().retrySchedule()),
        new FailingEndpoints(
            fleet.database,
            Clock.systemUTC(),
            null,
            metrics.counter("egress_endpoints_paused_total", ""),
            new OperatorNotices(false, fleet.settings.api().portal())),
        new WorkerStates(metrics, Set.of("deliveries", "backfill")),
        new DeliveryVerticle.Dependencies.Supervision(
            new Restarts(metrics, "delivery"),
            new BackendWait(
                fleet.vertx, _ -> Future.succeededFuture(), _ -> Future.succeededFuture()),
            () -> DatabaseState.WRITABLE));
  }

  private void publishDeliveries(int count) {
    fleet.captures(workspace, count);
    fleet
        .query(
            """
            select e.id as endpoint_id, s.capture_id, s.position
            from stream s join endpoints e using (workspace_id) order by s.position
            """)
        .forEach(row -> {
          Delivery delivery =
              Delivery.first(
                  DeliveryId.of(row.getUUID("endpoint_id"), row.getUUID("capture_id")),
                  row.getUUID("endpoint_id"),
                  row.getUUID("capture_id"),
                  row.getLong("position"),
                  Delivery.Origin.LIVE,
                  Instant.now());
          Fleet.await(
              fleet.publisher.publish(
                  List.of(
                      new Message(
                          fleet.topics.deliveries(),
                          delivery.endpointId().toString(),
                          delivery.encode()))));
        });
  }
}
