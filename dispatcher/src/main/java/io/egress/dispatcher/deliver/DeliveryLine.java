package io.egress.dispatcher.deliver;

import io.egress.delivery.Delivery;
import org.slf4j.spi.LoggingEventBuilder;

/** A line of the log about one delivery, found by any of its ids. */
final class DeliveryLine {
  private DeliveryLine() {}

  static LoggingEventBuilder about(LoggingEventBuilder line, Delivery delivery) {
    return line.addKeyValue("delivery_id", delivery.id())
        .addKeyValue("endpoint_id", delivery.endpointId())
        .addKeyValue("capture_id", delivery.captureId())
        .addKeyValue("attempt", delivery.attempt());
  }
}
