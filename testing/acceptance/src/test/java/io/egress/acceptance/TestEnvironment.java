package io.egress.acceptance;

import io.egress.platform.database.Migrations;
import io.egress.testing.SharedBackends;
import io.egress.webhook.endpoint.SecretBox;
import java.util.HashMap;
import java.util.Map;

/** The environment of a service on the shared servers, with its own database and topics. */
public final class TestEnvironment {
  private TestEnvironment() {}

  /** May be changed by the caller. */
  public static Map<String, String> fresh(String internalToken) {
    SharedBackends backends = SharedBackends.get();
    Map<String, String> environment =
        on(backends.freshDatabase(Migrations::run), backends.kafkaBootstrap(), internalToken);
    environment.put("EGRESS_TOPIC_PREFIX", backends.freshPrefix());
    return environment;
  }

  /** On servers that nobody else uses. */
  public static Map<String, String> on(
      String databaseUrl, String kafkaBootstrap, String internalToken) {
    Map<String, String> environment = new HashMap<>();
    environment.put("EGRESS_DATABASE_URL", databaseUrl);
    environment.put("EGRESS_KAFKA_BOOTSTRAP", kafkaBootstrap);
    environment.put("EGRESS_TOPIC_PARTITIONS", "2");
    environment.put("EGRESS_DELIVERY_LOG_RETENTION", "3d");
    environment.put("EGRESS_INTERNAL_TOKEN", internalToken);
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_DATABASE_POOL_SIZE", "8");
    environment.put("EGRESS_ACCESS_LOG", "false");
    return environment;
  }
}
