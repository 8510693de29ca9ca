package io.egress.acceptance;

import static io.egress.acceptance.BothRoles.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.api.ApiApp;
import io.egress.cli.InternalApi;
import io.egress.database.DatabasePool;
import io.egress.settings.Settings;
import io.egress.standalone.demo.SampleConversations;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every topic is deleted while captures keep coming, and the queue is rebuilt. */
@Execution(ExecutionMode.CONCURRENT)
class QueueLossTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration BETWEEN_CAPTURES = Duration.ofMillis(20);
  private static final int BEFORE = 300;
  private static final int LATER = 20;
  private static final int PARTITIONS = 2;
  private static final List<String> RECEIVERS =
      List.of("fine", "replayed", "flaky", "slow", "history", "paused");

  /** What operators may do. */
  private enum Way {
    /** As docs/disaster-recovery.md says. */
    DISPATCHERS_STOPPED,
    DISPATCHERS_RUNNING,
    /** Somebody else creates the topics again before a process has noticed. */
    TOPICS_MADE_ANEW
  }

  private final UUID workspace = UUID.randomUUID();
  private final String path = "/workspaces/" + workspace + "/endpoints";
  private final Map<String, String> environment = environment();
  private final Settings settings = Settings.from(environment);
  private final Vertx vertx = Vertx.vertx();
  private final Inbox inbox = new Inbox(vertx);
  private final SampleConversations conversations = new SampleConversations(1, workspace);
  private final Set<String> captures = ConcurrentHashMap.newKeySet();
  private final Map<String, String> endpoints = new HashMap<>();
  private final AtomicBoolean coming = new AtomicBoolean(true);
  private final ApiApp api;
  private final InternalApi internal;
  private final Pool database;
  private CommandLine dispatcher;

  QueueLossTest() throws IOException {
    api = done(ApiApp.start(vertx, settings));
    internal = new InternalApi("127.0.0.1", api.internalPort(), BothRoles.TOKEN);
    database = DatabasePool.open(vertx, settings.database(), "test", 1);
    dispatcher = dispatcher(environment);
  }

  @AfterEach
  void close() throws IOException {
    coming.set(false);
    dispatcher.close();
    done(api.close());
    done(database.close());
    done(vertx.close());
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(240)
  void everythingOwedArrivesAfterEveryTopicIsDeleted(Way way) throws Exception {
    makeAQueue();
    Thread pipeline = new Thread(this::keepComing, "pipeline");
    pipeline.start();

    deleteTopics(way == Way.TOPICS_MADE_ANEW);
    awaitMoreCaptures();
    if (way == Way.DISPATCHERS_STOPPED) {
      dispatcher.terminate();
      assertThat(dispatcher.awaitExit()).as(dispatcher.output()).isZero();
      dispatcher.close();
    }
    run(0, "rebuild-queue");
    if (way == Way.DISPATCHERS_STOPPED) {
      dispatcher = dispatcher(environment);
    }
    inbox.onlyDown(Set.of());
    change("slow", new JsonObject().putNull("max_per_second"));
    awaitMoreCaptures();
    coming.set(false);
    pipeline.join();

    for (String name : RECEIVERS.subList(0, RECEIVERS.size() - 1)) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(verified(name).getLong("delivered"))
                      .as("%s: %s", name, verified(name))
                      .isEqualTo(owed(name)));
    }
    await().atMost(PATIENCE).until(() -> verified("paused").getLong("pending") == 0);
    assertThat(inbox.captures("history")).isEqualTo(captures);
    assertThat(inbox.captures("fine")).isEqualTo(captures);
    for (String name : RECEIVERS) {
      assertThat(inbox.accepted(name).values()).as(name).allMatch(times -> times == 1);
      assertThat(verified(name).getLong("missing")).as(name).isZero();
      assertThat(verified(name).getLong("exhausted")).as(name).isZero();
    }
    assertThat(retriesBeforeTheirTime()).isZero();

    assertThat(run(0, "rebuild-queue"))
        .contains("published 0 deliveries without an attempt, 0 pending ones");
    run(3, "verify", workspace.toString());
  }

  /** Deliveries in every state in which one can be when its record is lost. */
  private void makeAQueue() {
    endpoint("fine", new JsonObject());
    endpoint("replayed", new JsonObject());
    finish(BEFORE);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                inbox.captures("fine").size() == BEFORE
                    && inbox.captures("replayed").size() == BEFORE);
    inbox.onlyDown(Set.of("flaky", "history", "replayed", "paused"));
    endpoint("flaky", new JsonObject());
    endpoint("paused", new JsonObject());
    endpoint("slow", new JsonObject().put("max_per_second", 1));
    endpoint("history", new JsonObject().put("full_history", true));
    finish(LATER);
    internal.call(
        "POST",
        path + "/" + endpoints.get("replayed") + "/replays",
        new JsonObject().put("from_position", 1).put("to_position", BEFORE));
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                verified("flaky").getLong("pending") == LATER
                    && inbox.refused("paused") >= LATER
                    && inbox.refused("history") > BEFORE / 3
                    && inbox.refused("replayed") > BEFORE / 3);
    change("paused", new JsonObject().put("paused", true));
  }

  private int owed(String name) {
    return List.of("flaky", "slow", "paused").contains(name)
        ? captures.size() - BEFORE
        : captures.size();
  }

  private void endpoint(String name, JsonObject wanted) {
    JsonObject made = internal.call("POST", path, wanted.put("url", inbox.url(name)));
    endpoints.put(name, made.getString("id"));
  }

  private void change(String name, JsonObject change) {
    internal.call("PATCH", path + "/" + endpoints.get(name), change);
  }

  private JsonObject verified(String name) {
    return internal.call(
        "GET", path + "/" + endpoints.get(name) + "/verification", new JsonObject());
  }

  private void finish(int count) {
    for (int i = 0; i < count; i++) {
      String id = UUID.randomUUID().toString();
      internal.call("PUT", "/captures/" + id, conversations.next(2));
      captures.add(id);
    }
  }

  private void keepComing() {
    while (coming.get()) {
      finish(1);
      await().pollDelay(BETWEEN_CAPTURES).until(() -> true);
    }
  }

  private void awaitMoreCaptures() {
    int before = captures.size();
    await().atMost(PATIENCE).until(() -> captures.size() > before + LATER);
  }

  private long retriesBeforeTheirTime() {
    return done(database
            .query(
                """
                    select count(*) from attempts a
                      join attempts b on b.delivery_id = a.delivery_id and b.attempt = a.attempt + 1
                    where b.started_at < a.started_at + (array[6, 12, 15, 30, 60])[a.attempt] * interval '1 s'
                    """)
            .execute())
        .iterator()
        .next()
        .getLong(0);
  }

  private void deleteTopics(boolean makeAnew) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", settings.kafka().bootstrap()))) {
      Set<String> all =
          admin.listTopics().names().get().stream()
              .filter(name -> name.startsWith(settings.kafka().topicPrefix()))
              .collect(Collectors.toUnmodifiableSet());
      assertThat(all).hasSizeGreaterThan(5);
      admin.deleteTopics(all).all().get();
      if (makeAnew) {
        List<NewTopic> same =
            all.stream().map(name -> new NewTopic(name, PARTITIONS, (short) 1)).toList();
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(() -> admin.createTopics(same).all().get() == null);
      }
    }
  }

  private String run(int status, String... arguments) throws Exception {
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("EGRESS_INTERNAL_PORT", Integer.toString(api.internalPort()));
    try (CommandLine command = CommandLine.start(variables, arguments)) {
      assertThat(command.awaitExit()).as(command.output()).isEqualTo(status);
      return command.output();
    }
  }

  private static CommandLine dispatcher(Map<String, String> environment) throws IOException {
    Map<String, String> logging = new HashMap<>(environment);
    // The tests' own configuration would leave out that it is up.
    logging.put("JDK_JAVA_OPTIONS", "-Dlogback.configurationFile=logback.xml");
    CommandLine started = CommandLine.start(logging, "dispatcher");
    try {
      started.awaitOutput("dispatcher is up");
      return started;
    } catch (RuntimeException | Error notUp) {
      started.close();
      throw notUp;
    }
  }

  private static Map<String, String> environment() {
    Map<String, String> environment = BothRoles.environment();
    environment.put("EGRESS_TOPIC_PARTITIONS", Integer.toString(PARTITIONS));
    environment.put("EGRESS_RETRY_SCHEDULE", "6s,12s,15s,30s,60s");
    environment.put("EGRESS_RECONCILE_AFTER", "10m");
    environment.put("EGRESS_SHUTDOWN_TIMEOUT", "8s");
    return environment;
  }
}
