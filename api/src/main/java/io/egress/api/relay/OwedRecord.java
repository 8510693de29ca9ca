package io.egress.api.relay;

import io.egress.transcript.stream.ProcessedCapture;
import io.vertx.sqlclient.Row;

/** A row of the outbox: a record to be published to Kafka. */
public record OwedRecord(long sequence, ProcessedCapture capture) {
  public static OwedRecord of(Row row) {
    return new OwedRecord(
        row.getLong("sequence"),
        new ProcessedCapture(
            row.getUUID("workspace_id"),
            row.getLong("position"),
            row.getUUID("capture_id"),
            row.getOffsetDateTime("entered_at").toInstant(),
            row.getString("traceparent")));
  }
}
