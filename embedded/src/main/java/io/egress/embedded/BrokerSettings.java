package io.egress.embedded;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** A single broker that is its own controller, on loopback, sized for one machine. */
final class BrokerSettings {
  static final int NODE_ID = 1;
  private static final String CONTROLLER_LISTENER = "CONTROLLER";
  private static final String BROKER_LISTENER = "BROKER";
  private static final int SESSION_TIMEOUT_MILLIS = 3_000;

  private BrokerSettings() {}

  /** The ports of the broker, of its controller and of the further listeners, in this order. */
  static Properties of(
      Path data, List<Integer> ports, List<BrokerListener> further, Durability durability) {
    Map<String, Object> settings = new HashMap<>(listeners(ports.get(0), ports.get(1)));
    for (int i = 0; i < further.size(); i++) {
      add(settings, further.get(i), ports.get(i + 2));
    }
    settings.putAll(internalTopics());
    settings.putAll(sizes());
    settings.put("log.dirs", data.toString());
    settings.put("auto.create.topics.enable", false);
    settings.put("default.replication.factor", 1);
    settings.put("min.insync.replicas", 1);
    // Members join one by one in a small group: waiting for more only delays the first.
    settings.put("group.initial.rebalance.delay.ms", 0);
    // After a crash the controller waits for the killed broker's session to end: 9 s by default.
    settings.put("broker.session.timeout.ms", SESSION_TIMEOUT_MILLIS);
    settings.put("broker.heartbeat.interval.ms", SESSION_TIMEOUT_MILLIS / 3);
    // Writes twice a second to a log that nobody else follows: 500 by default.
    settings.put("metadata.max.idle.interval.ms", 60_000);
    if (durability == Durability.SYNCED) {
      settings.put("log.flush.interval.ms", 1_000);
      settings.put("log.flush.scheduler.interval.ms", 1_000);
    }
    Properties properties = new Properties();
    settings.forEach((name, value) -> properties.setProperty(name, value.toString()));
    return properties;
  }

  private static Map<String, Object> listeners(int port, int controllerPort) {
    String broker = BROKER_LISTENER + "://127.0.0.1:" + port;
    return Map.of(
        "node.id",
        NODE_ID,
        "process.roles",
        "broker,controller",
        "controller.quorum.voters",
        NODE_ID + "@127.0.0.1:" + controllerPort,
        "controller.listener.names",
        CONTROLLER_LISTENER,
        "inter.broker.listener.name",
        BROKER_LISTENER,
        "listeners",
        broker + "," + CONTROLLER_LISTENER + "://127.0.0.1:" + controllerPort,
        "advertised.listeners",
        broker,
        "listener.security.protocol.map",
        BROKER_LISTENER + ":PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
  }

  private static void add(Map<String, Object> settings, BrokerListener listener, int port) {
    String address = "," + listener.name() + "://127.0.0.1:" + port;
    settings.merge("listeners", address, (before, one) -> before.toString() + one);
    Integer advertised = listener.advertisedPort();
    settings.merge(
        "advertised.listeners",
        "," + listener.name() + "://127.0.0.1:" + (advertised == null ? port : advertised),
        (before, one) -> before.toString() + one);
    settings.merge(
        "listener.security.protocol.map",
        "," + listener.name() + ":" + listener.protocol(),
        (before, one) -> before.toString() + one);
    String prefix = "listener.name." + listener.name().toLowerCase(Locale.ROOT) + ".";
    listener.settings().forEach((name, value) -> settings.put(prefix + name, value));
  }

  /** Partitions spread load over brokers; with one broker more of them only cost files. */
  private static Map<String, Object> internalTopics() {
    return Map.of(
        "offsets.topic.replication.factor", 1,
        "offsets.topic.num.partitions", 4,
        "transaction.state.log.replication.factor", 1,
        "transaction.state.log.min.isr", 1,
        "transaction.state.log.num.partitions", 4,
        "share.coordinator.state.topic.replication.factor", 1,
        "share.coordinator.state.topic.min.isr", 1,
        "share.coordinator.state.topic.num.partitions", 1);
  }

  private static Map<String, Object> sizes() {
    return Map.of(
        "num.network.threads", 1,
        "num.io.threads", 2,
        "background.threads", 2,
        "group.coordinator.threads", 1,
        // Taken from the heap at start, 128 MB by default.
        "log.cleaner.dedupe.buffer.size", 8 << 20,
        "metric.reporters", "");
  }
}
