package io.egress.platform.environment;

import java.util.Map;

/** Settings of earlier releases, each with what to do instead. */
final class FormerSettings {
  private static final String FIXED = "it is fixed now: remove it";
  private static final String FROM_THE_HEAP =
      "this memory is a share of the heap now: remove it, and set -Xmx";
  private static final String TOPICS =
      "new topics follow the number of brokers: remove it, and create topics that are to differ"
          + " before the first start";
  private static final String FILE =
      "put it into the file of EGRESS_KAFKA_PROPERTIES, by Kafka's name: ";

  private static final Map<String, String> INSTEAD =
      Map.ofEntries(
          Map.entry("EGRESS_KAFKA_SECURITY_PROTOCOL", FILE + "security.protocol"),
          Map.entry("EGRESS_KAFKA_SASL_MECHANISM", FILE + "sasl.mechanism"),
          Map.entry("EGRESS_KAFKA_USERNAME", FILE + "sasl.jaas.config"),
          Map.entry("EGRESS_KAFKA_PASSWORD", FILE + "sasl.jaas.config"),
          Map.entry("EGRESS_KAFKA_CA", FILE + "ssl.truststore.location"),
          Map.entry("EGRESS_KAFKA_CERTIFICATE", FILE + "ssl.keystore.location"),
          Map.entry("EGRESS_KAFKA_KEY", FILE + "ssl.keystore.location"),
          Map.entry("EGRESS_TOPIC_REPLICATION", TOPICS),
          Map.entry("EGRESS_TOPIC_MIN_INSYNC_REPLICAS", TOPICS),
          Map.entry("EGRESS_TOPIC_RETENTION", TOPICS),
          Map.entry("EGRESS_DATABASE_STATEMENT_TIMEOUT", FIXED),
          Map.entry("EGRESS_DATABASE_LOCK_TIMEOUT", FIXED),
          Map.entry("EGRESS_DATABASE_IDLE_TRANSACTION_TIMEOUT", FIXED),
          Map.entry("EGRESS_DATABASE_TRANSACTION_TIMEOUT", FIXED),
          Map.entry("EGRESS_HOOK_MEMORY", FROM_THE_HEAP),
          Map.entry("EGRESS_PULL_MEMORY", FROM_THE_HEAP),
          Map.entry("EGRESS_MEMORY_WAIT", FIXED),
          Map.entry("EGRESS_HOOK_STALL_TIMEOUT", FIXED),
          Map.entry("EGRESS_PULL_STALL_TIMEOUT", FIXED),
          Map.entry("EGRESS_CLIENT_RATE_MIN", FIXED),
          Map.entry("EGRESS_SWEEP_INTERVAL", FIXED),
          Map.entry("EGRESS_IDLE_TIMEOUT", FIXED),
          Map.entry("EGRESS_PULL_WAITING_MAX", FIXED),
          Map.entry("EGRESS_KAFKA_SESSION_TIMEOUT", FIXED),
          Map.entry("EGRESS_STALL_TIMEOUT", FIXED),
          Map.entry("EGRESS_RECONCILE_AFTER", FIXED),
          Map.entry("EGRESS_DISPATCHER_WORKERS", "a process has one worker: start more processes"));

  private FormerSettings() {}

  static String fault(String unknown) {
    String instead = INSTEAD.get(unknown);
    return unknown + " is not a setting of this service" + (instead == null ? "" : ": " + instead);
  }
}
