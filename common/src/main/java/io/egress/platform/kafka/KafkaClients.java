package io.egress.platform.kafka;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.kafka.client.producer.KafkaProducer;
import io.vertx.kafka.client.serialization.BufferSerializer;
import java.util.Map;
import org.apache.kafka.common.serialization.StringSerializer;

/** The Kafka producer. */
public final class KafkaClients {
  /** Two requests; whoever publishes tries again. */
  private static final String DELIVERY_TIMEOUT_MS = "10000";

  private static final String MAX_BLOCK_MS = "5000";

  private KafkaClients() {}

  /**
   * {@code linger.ms=0}: records batch up behind requests in flight. A record is acknowledged once
   * it is durable on every in-sync replica.
   *
   * <p>Not idempotent: a repeated record is harmless, because the delivery log knows which attempts
   * were made. Brokers recognize repetitions by the producer's id, and a cluster that has lost its
   * data gives out the ids of producers that are still running: it would drop what one of two
   * producers with the same id sends, and acknowledge it.
   */
  public static KafkaProducer<String, Buffer> producer(Vertx vertx, KafkaSettings settings) {
    Map<String, String> properties = ConnectionProperties.of(settings);
    properties.put("key.serializer", StringSerializer.class.getName());
    properties.put("value.serializer", BufferSerializer.class.getName());
    properties.put("acks", "all");
    properties.put("enable.idempotence", "false");
    properties.put("compression.type", "lz4");
    properties.put("linger.ms", "0");
    properties.put("delivery.timeout.ms", DELIVERY_TIMEOUT_MS);
    properties.put("max.block.ms", MAX_BLOCK_MS);
    KafkaProducer<String, Buffer> producer = KafkaProducer.create(vertx, properties);
    // The sender gets the failure; without a handler it would be logged as an error, too.
    return producer.exceptionHandler(_ -> {});
  }
}
