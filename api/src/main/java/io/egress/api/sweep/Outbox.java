package io.egress.api.sweep;

import static java.util.Objects.requireNonNull;

import io.egress.kafka.ProcessedCapture;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.kafka.client.producer.KafkaProducerRecord;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Publishes what the stream owes to Kafka. The transaction that deletes a row is committed only
 * after the broker has acknowledged its record: several processes share the work, and one that dies
 * leaves its rows to the others. A record may then be published twice, never not at all.
 */
final class Outbox {
  static final int BATCH_MAX = 500;

  /**
   * Rows come into being in the order of their sequence, and all but the newest are gone. It is not
   * a prepared statement, so that it is planned each time: a plan kept from when the outbox was
   * empty reads and sorts all of it for each batch. Its transaction does not wait for the disk:
   * should it be forgotten in a crash, its records are published again.
   */
  private static final String TAKE =
      """
      set local synchronous_commit = off;
      delete from outbox where sequence in (
        select sequence from outbox where sequence > %d order by sequence limit %d for update skip locked)
      returning sequence, workspace_id, position, capture_id, entered_at
      """;

  /** How often rows are looked for that another process held and did not publish. */
  private static final long LOOK_AT_ALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Pool pool;
  private final KafkaProducer<String, Buffer> producer;
  private final String topic;
  private final IntConsumer relayed;
  private long lookedAtAllNanos = System.nanoTime() - LOOK_AT_ALL_NANOS;
  private long lastPublished;

  /** {@code relayed} is told of each batch how many records it had. */
  Outbox(Pool pool, KafkaProducer<String, Buffer> producer, String topic, IntConsumer relayed) {
    this.pool = requireNonNull(pool, "pool is null");
    this.producer = requireNonNull(producer, "producer is null");
    this.topic = requireNonNull(topic, "topic is null");
    this.relayed = requireNonNull(relayed, "relayed is null");
  }

  /**
   * Completes with the number of records published, once no row was left that nobody else holds.
   */
  Future<Integer> publish() {
    return pool.withTransaction(this::publishBatch)
        .onSuccess(relayed::accept)
        .compose(
            published ->
                published < BATCH_MAX
                    ? Future.succeededFuture(published)
                    : publish().map(more -> published + more));
  }

  private Future<Integer> publishBatch(SqlConnection tx) {
    return tx.query(TAKE.formatted(after(), BATCH_MAX))
        .execute()
        .compose(
            set -> {
              List<Row> taken = new ArrayList<>();
              set.next().forEach(taken::add);
              taken.sort(Comparator.comparing(Outbox::sequence));
              return Future.all(taken.stream().map(row -> producer.send(record(row))).toList())
                  .map(acknowledged -> published(taken));
            });
  }

  /** Below it nothing is looked for: there the index is full of rows that are gone. */
  private long after() {
    long now = System.nanoTime();
    if (now - lookedAtAllNanos < LOOK_AT_ALL_NANOS) {
      return lastPublished;
    }
    lookedAtAllNanos = now;
    return 0;
  }

  private int published(List<Row> rows) {
    for (Row row : rows) {
      lastPublished = Math.max(lastPublished, sequence(row));
    }
    return rows.size();
  }

  private static long sequence(Row row) {
    return row.getLong("sequence");
  }

  private KafkaProducerRecord<String, Buffer> record(Row row) {
    ProcessedCapture processed =
        new ProcessedCapture(
            row.getUUID("workspace_id"),
            row.getLong("position"),
            row.getUUID("capture_id"),
            row.getOffsetDateTime("entered_at").toInstant());
    return KafkaProducerRecord.create(
        topic, processed.workspaceId().toString(), processed.encode());
  }
}
