package io.egress.api.sweep;

import io.egress.kafka.ProcessedCapture;
import io.egress.kafka.RecordPublisher.Message;
import io.vertx.sqlclient.Row;

/** A row of the outbox: the record that the stream owes to Kafka. */
record OwedRecord(long sequence, ProcessedCapture capture) {
  static OwedRecord of(Row row) {
    return new OwedRecord(
        row.getLong("sequence"),
        new ProcessedCapture(
            row.getUUID("workspace_id"),
            row.getLong("position"),
            row.getUUID("capture_id"),
            row.getOffsetDateTime("entered_at").toInstant()));
  }

  Message message(String topic) {
    return new Message(topic, capture.workspaceId().toString(), capture.encode());
  }
}
