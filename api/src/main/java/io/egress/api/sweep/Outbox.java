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
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Publishes what the stream owes to Kafka. A row is deleted only after the broker has acknowledged
 * its record, by the transaction that holds the row locked: several processes share the work, and
 * one that dies leaves its rows to the others. A record may then be published twice, never not at
 * all.
 */
final class Outbox {
  static final int BATCH_MAX = 500;

  private static final String TAKE =
      """
      select sequence, workspace_id, position, capture_id, entered_at
      from outbox order by sequence limit $1 for update skip locked
      """;
  private static final String DELETE = "delete from outbox where sequence = any($1)";

  private final Pool pool;
  private final KafkaProducer<String, Buffer> producer;
  private final String topic;
  private final IntConsumer relayed;

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
    return tx.preparedQuery(TAKE)
        .execute(Tuple.of(BATCH_MAX))
        .compose(
            rows -> {
              List<Long> sequences = new ArrayList<>(rows.size());
              List<Future<?>> acknowledged = new ArrayList<>(rows.size());
              for (Row row : rows) {
                sequences.add(row.getLong("sequence"));
                acknowledged.add(producer.send(record(row)));
              }
              return sequences.isEmpty()
                  ? Future.succeededFuture(0)
                  : Future.all(acknowledged).compose(all -> delete(tx, sequences));
            });
  }

  private static Future<Integer> delete(SqlConnection tx, List<Long> sequences) {
    return tx.preparedQuery(DELETE)
        .execute(Tuple.of(sequences.toArray(Long[]::new)))
        .map(deleted -> sequences.size());
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
