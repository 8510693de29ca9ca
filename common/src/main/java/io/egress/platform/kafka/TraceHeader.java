package io.egress.platform.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The W3C Trace Context header, carried by the records of traced captures only. */
public final class TraceHeader {
  private static final String NAME = "traceparent";

  private TraceHeader() {}

  static void add(ProducerRecord<?, ?> record, String traceparent) {
    record.headers().add(NAME, traceparent.getBytes(US_ASCII));
  }

  public static @Nullable String in(ConsumerRecord<?, ?> record) {
    Header header = record.headers().lastHeader(NAME);
    return header == null || header.value() == null ? null : new String(header.value(), US_ASCII);
  }
}
