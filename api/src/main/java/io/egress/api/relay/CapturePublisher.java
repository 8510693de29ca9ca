package io.egress.api.relay;

import io.egress.platform.kafka.RecordPublisher;
import io.egress.platform.kafka.RecordPublisher.Message;
import io.egress.transcript.stream.ProcessedCapture;
import io.egress.webhook.trace.Tracing;
import io.vertx.core.Future;
import java.util.List;

/** Publishes records of the outbox to Kafka; for traced captures this is a span. */
record CapturePublisher(RecordPublisher publisher, String topic, Tracing tracing) {

  /** Completes once every record is acknowledged. */
  Future<Void> publish(List<OwedRecord> records) {
    Tracing.Batch traced = tracing.batch();
    return publisher
        .publish(records.stream().map(record -> message(record.capture(), traced)).toList())
        .onComplete(traced::end);
  }

  private Message message(ProcessedCapture capture, Tracing.Batch traced) {
    return new Message(
        topic, capture.workspaceId().toString(), capture.encode(), traced.publish(capture, topic));
  }
}
