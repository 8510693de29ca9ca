package io.egress.dispatcher.reconcile;

import static io.egress.dispatcher.notice.OperatorNotices.Event.QUEUE_LOST;

import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Rows;
import io.egress.platform.database.Transactions;
import io.egress.platform.kafka.Brokers;
import io.egress.platform.lifecycle.Recurring;
import io.egress.platform.outage.Outage;
import io.egress.webhook.queue.Rebuild;
import io.egress.webhook.queue.RebuildStore;
import io.egress.webhook.queue.Topics;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that Kafka has lost the queue, and begins a rebuild. The queue as last seen is stored in
 * the database, and compared when a process starts and whenever the process itself sees a change;
 * the row's lock admits one process of the fleet, and the others then find nothing new.
 */
public final class QueueWatch {
  private static final Logger log = LoggerFactory.getLogger(QueueWatch.class);

  private static final Duration PERIOD = Duration.ofSeconds(5);

  private static final String STORED = "select cluster_id, topic_ids, stray_offsets from queue";

  private static final String SAVE =
      """
      insert into queue (cluster_id, topic_ids, stray_offsets, weaknesses) values ($1, $2, $3, $4)
      on conflict (only_row) do update set
        cluster_id = excluded.cluster_id, topic_ids = excluded.topic_ids,
        stray_offsets = excluded.stray_offsets, weaknesses = excluded.weaknesses
      """;

  /**
   * The topics of the queue.
   *
   * @param deliveries those read by the dispatchers' group
   * @param weaknesses why they can lose records, for display
   * @param create creates missing ones
   */
  public record Needed(
      Topics topics, Set<String> deliveries, List<String> weaknesses, Supplier<Future<?>> create) {
    public Needed {
      deliveries = Set.copyOf(deliveries);
      weaknesses = List.copyOf(weaknesses);
    }

    private Set<String> all() {
      Set<String> all = new HashSet<>(deliveries);
      all.add(topics.capturesProcessed());
      return all;
    }
  }

  private final Brokers brokers;
  private final Pool pool;
  private final Needed needed;
  private final Consumer<Set<String>> replaced;
  private final OperatorNotices notices;
  private final Counter losses;
  private final StrayOffsets strays;
  private final Recurring looking;
  private @Nullable QueueView seen;

  /** {@code replaced} is called with the topics that were replaced while this process ran. */
  public QueueWatch(
      Vertx vertx,
      Brokers brokers,
      Pool pool,
      Needed needed,
      Consumer<Set<String>> replaced,
      OperatorNotices notices,
      Counter losses) {
    this.brokers = brokers;
    this.pool = pool;
    this.needed = needed;
    this.replaced = replaced;
    this.notices = notices;
    this.losses = losses;
    this.strays = new StrayOffsets(brokers);
    this.looking =
        new Recurring(vertx, "checking the queue in Kafka", this::look)
            .reporting(
                new Outage(
                    log,
                    "Cannot check the queue in Kafka; retrying",
                    "The queue in Kafka is checked"))
            .nowAndEvery(PERIOD);
  }

  public void close() {
    looking.close();
  }

  private void look() {
    QueueView view = view(known());
    if (!view.equals(seen)) {
      changed(view);
    }
  }

  /** The names of the topics to look at, which may include those of another retry schedule. */
  private Set<String> known() {
    QueueView known = seen == null ? stored(pool, "") : seen;
    Set<String> names = needed.all();
    if (known != null) {
      names.addAll(known.topicIds().keySet());
    }
    return names;
  }

  private QueueView view(Set<String> names) {
    Map<String, TopicDescription> topics = brokers.topics(names).await();
    if (!topics.keySet().containsAll(needed.all())) {
      needed.create().get().await();
      topics = brokers.topics(names).await();
    }
    String cluster = brokers.clusterId().await();
    Map<String, String> ids = new HashMap<>();
    topics.forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    return new QueueView(cluster, ids, strays(topics));
  }

  private Set<String> strays(Map<String, TopicDescription> found) {
    Topics topics = needed.topics();
    Set<String> all = strays.of(topics.dispatcherGroup(), partitions(found, needed.deliveries()));
    all.addAll(
        strays.of(topics.fanOutGroup(), partitions(found, Set.of(topics.capturesProcessed()))));
    return all;
  }

  private static Set<TopicPartition> partitions(
      Map<String, TopicDescription> found, Set<String> names) {
    return found.values().stream()
        .filter(topic -> names.contains(topic.name()))
        .flatMap(topic ->
            topic.partitions().stream()
                .map(each -> new TopicPartition(topic.name(), each.partition())))
        .collect(Collectors.toSet());
  }

  private void changed(QueueView now) {
    QueueView before = seen;
    Set<String> others = before == null ? Set.of() : before.replacedBy(now);
    if (!others.isEmpty()) {
      replaced.accept(others);
    }
    List<String> lost = Transactions.callOnce(pool, tx -> store(tx, now));
    seen = now;
    if (!lost.isEmpty()) {
      losses.increment();
      log.warn("Kafka has lost data; publishing what is owed again: {}", String.join("; ", lost));
    }
  }

  /** Returns what was lost. */
  private List<String> store(SqlConnection tx, QueueView now) {
    QueueView stored = stored(tx, " for update");
    List<String> lost = stored == null ? List.of() : stored.lostBy(now);
    if (seen == null || !now.equals(stored)) {
      save(tx, now);
    }
    if (!lost.isEmpty()) {
      Rebuild rebuild = RebuildStore.begin(tx, Rebuild.Reason.LOST, lost, Caller.SYSTEM);
      notices.add(tx, QUEUE_LOST, data(rebuild));
    }
    return lost;
  }

  private static JsonObject data(Rebuild rebuild) {
    return new JsonObject()
        .put("rebuild", rebuild.id())
        .put("findings", new JsonArray(rebuild.findings()));
  }

  private static @Nullable QueueView stored(SqlClient client, String lock) {
    return Rows.one(Rows.of(client, STORED + lock), QueueWatch::view).orElse(null);
  }

  private static QueueView view(Row row) {
    Map<String, String> ids = new HashMap<>();
    ((JsonObject) row.getValue("topic_ids"))
        .forEach(topic -> ids.put(topic.getKey(), (String) topic.getValue()));
    return new QueueView(
        row.getString("cluster_id"), ids, Set.of(row.getArrayOfStrings("stray_offsets")));
  }

  private void save(SqlConnection tx, QueueView now) {
    JsonObject ids = new JsonObject();
    now.topicIds().forEach(ids::put);
    Rows.of(
        tx,
        SAVE,
        now.clusterId(),
        ids,
        now.strayOffsets().toArray(String[]::new),
        needed.weaknesses().toArray(String[]::new));
  }
}
