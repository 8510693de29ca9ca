package io.egress.dispatcher;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A database that answers and takes no writes: after a demotion, or while commits wait for a
 * synchronous standby that is gone.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class UnwritableDatabaseTest {
  private static final Duration KNOWN_AFTER = Duration.ofSeconds(15);

  /** Until then every dispatcher knows, on a slow machine, too. */
  private static final Duration STALL_TIMEOUT = KNOWN_AFTER;

  private static final Duration LONGER_THAN_A_STALL = STALL_TIMEOUT.plusSeconds(3);
  private static final int CAPTURES = 2_000;
  private static final int SENT_BEFORE = 40;
  private static final long ANSWER_MILLIS = 200;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final UUID workspace = UUID.randomUUID();
  private PostgresServer postgres;
  private Fleet fleet;
  private URI health;

  /**
   * The second dispatcher takes over when the first one stalls. It could read what to send, and has
   * no outcome of its own that waits to be written.
   */
  @BeforeEach
  void start(@TempDir Path folder) {
    postgres = PostgresServer.start(folder.resolve("postgres"), Durability.UNSYNCED);
    fleet =
        new Fleet(
            Map.of(
                "EGRESS_DATABASE_URL",
                postgres.databaseUrl(),
                "stall",
                STALL_TIMEOUT.toSeconds() + "s"));
    int port = fleet.dispatcher().internalPort().orElseThrow();
    health = URI.create("http://127.0.0.1:" + port + "/health/ready");
    fleet.dispatcher();
    // A later handover would have to repeat what is not recorded.
    await().until(this::bothHavePartitions);
  }

  private boolean bothHavePartitions() throws InterruptedException, ExecutionException {
    String group = fleet.topics.dispatcherGroup();
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", fleet.settings.kafka().bootstrap()))) {
      return admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
              .flatMap(described -> described.members().stream())
              .filter(member -> !member.assignment().topicPartitions().isEmpty())
              .count()
          == 2;
    }
  }

  @AfterEach
  void stop() {
    fleet.close();
    postgres.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"default_transaction_read_only = on", "synchronous_standby_names = 'nobody'"})
  void sendsNothingThatItCannotRecord(String fault) {
    fleet.receivers.behave(
        "crm",
        (request, _) ->
            fleet
                .receivers
                .vertx()
                .timer(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                .onSuccess(_ -> request.response().setStatusCode(204).end()));
    fleet.endpoint(workspace, "crm");
    List<UUID> captures = fleet.captures(workspace, CAPTURES);
    await().until(() -> fleet.receivers.count() >= SENT_BEFORE);

    postgres.alter("set " + fault);

    await().atMost(KNOWN_AFTER).until(() -> database().equals("down"));
    AtomicInteger sent = new AtomicInteger();
    await()
        .during(LONGER_THAN_A_STALL)
        .until(() -> {
          int now = fleet.receivers.count();
          return sent.getAndSet(now) == now && database().equals("down");
        });
    assertThat(sent).as("sent while nothing could be recorded").hasValueLessThan(CAPTURES);

    postgres.alter("reset " + fault.substring(0, fault.indexOf(' ')));

    await().atMost(KNOWN_AFTER).until(() -> database().equals("up"));
    await().until(() -> arrived().size() == captures.size());
    await().until(() -> fleet.count("deliveries") == CAPTURES);
    assertThat(arrived().values()).as("times that each capture arrived").containsOnly(1L);
  }

  private Map<String, Long> arrived() {
    return fleet.receivers.arrivals("crm").stream()
        .collect(
            groupingBy(
                arrival -> arrival.body().toJsonObject().getJsonObject("data").getString("id"),
                counting()));
  }

  private String database() throws IOException, InterruptedException {
    String answer =
        HTTP.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body();
    return new JsonObject(answer).getJsonObject("checks").getString("database");
  }
}
