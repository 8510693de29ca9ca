package io.egress.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.embedded.SharedBackends;
import io.egress.settings.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DeliveryTopicsTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  /** The others may be about to start. */
  @Test
  void waitForAsManyBrokersAsTheyNeedReplicas() {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_INTERNAL_TOKEN", "test-token-of-the-internal-api");
    environment.put("EGRESS_DATABASE_URL", "postgresql://unused:unused@127.0.0.1:1/unused");
    environment.put("EGRESS_KAFKA_BOOTSTRAP", SharedBackends.get().kafkaBootstrap());
    environment.put("EGRESS_TOPIC_PREFIX", SharedBackends.get().freshPrefix());
    environment.put("EGRESS_TOPIC_REPLICATION", "2");
    Future<?> waiting = DeliveryTopics.ensure(vertx, Settings.from(environment));
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(30))
        .until(() -> !waiting.isComplete());

    environment.put("EGRESS_TOPIC_REPLICATION", "1");
    Future<?> possible = DeliveryTopics.ensure(vertx, Settings.from(environment));

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> waiting.isComplete() && possible.isComplete());
    assertThat(possible.succeeded()).isTrue();
    assertThat(waiting.succeeded()).isTrue();
  }
}
