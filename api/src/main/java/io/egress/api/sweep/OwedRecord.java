package io.egress.api.sweep;

import io.egress.transcript.stream.ProcessedCapture;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;

/**
 * A row of the outbox: a record to be published to Kafka.
 *
 * @param finishedAt when the capture was first stored with segments
 */
public record OwedRecord(long sequence, Instant finishedAt, ProcessedCapture capture) {
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

  /** From then to the capture's entry into the stream. */
  Duration sweepDelay() {
    return Duration.between(finishedAt, capture.enteredAt());
  }
}
