package io.egress.kafka;

import io.egress.settings.KafkaSettings;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.kafka.client.serialization.BufferSerializer;
import java.util.Map;
import org.apache.kafka.common.serialization.StringSerializer;

/** The one way to the brokers. */
public final class KafkaClients {
  private static final String DELIVERY_TIMEOUT_MS = "20000";
  private static final String REQUEST_TIMEOUT_MS = "10000";
  private static final String MAX_BLOCK_MS = "10000";

  private KafkaClients() {}

  /**
   * Does not wait for company: records that come while earlier ones are under way are company
   * enough. Acknowledges a record once it is durable at every in-sync replica.
   */
  public static KafkaProducer<String, Buffer> producer(Vertx vertx, KafkaSettings settings) {
    return KafkaProducer.create(
        vertx,
        Map.of(
            "bootstrap.servers",
            settings.bootstrap(),
            "key.serializer",
            StringSerializer.class.getName(),
            "value.serializer",
            BufferSerializer.class.getName(),
            "acks",
            "all",
            "enable.idempotence",
            "true",
            "compression.type",
            "lz4",
            "linger.ms",
            "0",
            "delivery.timeout.ms",
            DELIVERY_TIMEOUT_MS,
            "request.timeout.ms",
            REQUEST_TIMEOUT_MS,
            "max.block.ms",
            MAX_BLOCK_MS));
  }
}
