package io.egress.dispatcher.reconcile;

import static io.egress.dispatcher.notice.OperatorNotices.Event.QUEUE_LOST;

import io.egress.dispatcher.notice.OperatorNotices;
import io.egress.platform.audit.Caller;
import io.egress.platform.database.Transactions;
import io.egress.platform.kafka.Brokers;
import io.egress.platform.lifecycle.Periodic;
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
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
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
  private final Periodic looking;
  private final Outage outage =
      new Outage(log, "Cannot check the queue in Kafka; retrying", "The queue in Kafka is checked");
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
    this.looking = Periodic.nowAndEvery(vertx, PERIOD, this::look);
  }

  public void close() {
    looking.close();
  }

  private Future<?> look() {
    return known()
        .compose(this::view)
        .compose(view -> view.equals(seen) ? Future.succeededFuture() : changed(view))
        .onSuccess(_ -> outage.worked())
        .onFailure(outage::failed);
  }

  /** The names of the topics to look at, which may include those of another retry schedule. */
  private Future<Set<String>> known() {
    QueueView before = seen;
    return (before == null
            ? stored(pool, "").map(row -> row == null ? Set.<String>of() : row.topicIds().keySet())
            : Future.succeededFuture(before.topicIds().keySet()))
        .map(stored -> {
          Set<String> names = needed.all();
          names.addAll(stored);
          return names;
        });
  }

  private Future<QueueView> view(Set<String> names) {
    return brokers
        .topics(names)
        .compose(found ->
            found.keySet().containsAll(needed.all())
                ? Future.succeededFuture(found)
                : needed.create().get().compose(_ -> brokers.topics(names)))
        .compose(found ->
            brokers
                .clusterId()
                .compose(cluster -> strays(found).map(strays -> view(cluster, found, strays))));
  }

  private static QueueView view(
      String cluster, Map<String, TopicDescription> topics, Set<String> strays) {
    Map<String, String> ids = new HashMap<>();
    topics.forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    return new QueueView(cluster, ids, strays);
  }

  private Future<Set<String>> strays(Map<String, TopicDescription> found) {
    Topics topics = needed.topics();
    return strays
        .of(topics.dispatcherGroup(), partitions(found, needed.deliveries()))
        .compose(ofDeliveries ->
            strays
                .of(topics.fanOutGroup(), partitions(found, Set.of(topics.capturesProcessed())))
                .map(ofCaptures -> {
                  Set<String> all = new HashSet<>(ofDeliveries);
                  all.addAll(ofCaptures);
                  return all;
                }));
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

  private Future<Void> changed(QueueView now) {
    QueueView before = seen;
    Set<String> others = before == null ? Set.of() : before.replacedBy(now);
    if (!others.isEmpty()) {
      replaced.accept(others);
    }
    return Transactions.once(pool, tx -> store(tx, now))
        .map(lost -> {
          seen = now;
          if (!lost.isEmpty()) {
            losses.increment();
            log.warn(
                "Kafka has lost data; publishing what is owed again: {}", String.join("; ", lost));
          }
          return null;
        });
  }

  /** Returns what was lost. */
  private Future<List<String>> store(SqlConnection tx, QueueView now) {
    return stored(tx, " for update")
        .compose(stored -> {
          List<String> lost = stored == null ? List.of() : stored.lostBy(now);
          return (now.equals(stored) && seen != null ? Future.succeededFuture() : save(tx, now))
              .compose(_ ->
                  lost.isEmpty()
                      ? Future.succeededFuture()
                      : RebuildStore.begin(tx, Rebuild.Reason.LOST, lost, Caller.SYSTEM)
                          .compose(rebuild -> notices.add(tx, QUEUE_LOST, data(rebuild))))
              .map(_ -> lost);
        });
  }

  private static JsonObject data(Rebuild rebuild) {
    return new JsonObject()
        .put("rebuild", rebuild.id())
        .put("findings", new JsonArray(rebuild.findings()));
  }

  private static Future<@Nullable QueueView> stored(SqlClient client, String lock) {
    return client
        .query(STORED + lock)
        .execute()
        .map(rows -> {
          RowIterator<Row> row = rows.iterator();
          return row.hasNext() ? view(row.next()) : null;
        });
  }

  private static QueueView view(Row row) {
    Map<String, String> ids = new HashMap<>();
    ((JsonObject) row.getValue("topic_ids"))
        .forEach(topic -> ids.put(topic.getKey(), (String) topic.getValue()));
    return new QueueView(
        row.getString("cluster_id"), ids, Set.of(row.getArrayOfStrings("stray_offsets")));
  }

  private Future<?> save(SqlConnection tx, QueueView now) {
    JsonObject ids = new JsonObject();
    now.topicIds().forEach(ids::put);
    return tx.preparedQuery(SAVE)
        .execute(
            Tuple.of(now.clusterId(), ids)
                .addArrayOfString(now.strayOffsets().toArray(String[]::new))
                .addArrayOfString(needed.weaknesses().toArray(String[]::new)));
  }
}
