package io.egress.api.sweep;

import io.egress.kafka.ProcessedCapture;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;

/**
 * A row of the outbox: the record that the stream owes to Kafka.
 *
 * @param finishedAt when the capture was put with its first segments
 */
record OwedRecord(long sequence, Instant finishedAt, ProcessedCapture capture) {
  static OwedRecord of(Row row) {
    return new OwedRecord(
        row.getLong("sequence"),
        row.getOffsetDateTime("finished_at").toInstant(),
        new ProcessedCapture(
            row.getUUID("workspace_id"),
            row.getLong("position"),
            row.getUUID("capture_id"),
            row.getOffsetDateTime("entered_at").toInstant(),
            row.getString("traceparent")));
  }

  /** Until its entry into the stream. */
  Duration sweepDelay() {
    return Duration.between(finishedAt, capture.enteredAt());
  }
}
