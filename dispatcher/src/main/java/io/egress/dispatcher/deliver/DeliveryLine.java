package io.egress.dispatcher.deliver;

import io.egress.delivery.Delivery;
import org.slf4j.spi.LoggingEventBuilder;

/** A log line about one delivery, with its ids. */
final class DeliveryLine {
  private DeliveryLine() {}

  static LoggingEventBuilder about(LoggingEventBuilder line, Delivery delivery) {
    return line.addKeyValue("delivery_id", delivery.id())
        .addKeyValue("endpoint_id", delivery.endpointId())
        .addKeyValue("capture_id", delivery.captureId())
        .addKeyValue("attempt", delivery.attempt());
  }
}
