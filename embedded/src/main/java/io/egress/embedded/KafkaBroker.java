package io.egress.embedded;

import static java.util.Objects.requireNonNull;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker on 127.0.0.1 inside this process, with a data folder of its own. It can be stopped
 * and restarted on the same port.
 */
public final class KafkaBroker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KafkaBroker.class);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final DataDirectoryLock lock;
  private final Path data;
  private final List<Integer> ports;
  private final List<BrokerListener> further;
  private final Durability durability;
  private @Nullable KafkaRaftServer running;
  private int refusalsAtStart;
  private volatile boolean wanted;
  private volatile boolean closed;

  private KafkaBroker(
      DataDirectoryLock lock,
      List<Integer> ports,
      List<BrokerListener> further,
      Durability durability) {
    this.lock = lock;
    this.data = lock.folder().resolve("data");
    this.ports = List.copyOf(ports);
    this.further = List.copyOf(further);
    this.durability = durability;
  }

  /** Blocks until the broker answers. */
  public static KafkaBroker start(Path folder, Durability durability) {
    return start(folder, durability, List.of());
  }

  /** With listeners beside the plaintext one. */
  public static KafkaBroker start(
      Path folder, Durability durability, List<BrokerListener> further) {
    requireNonNull(folder, "folder is null");
    requireNonNull(durability, "durability is null");
    DataDirectoryLock lock = DataDirectoryLock.acquire(folder);
    boolean started = false;
    try {
      List<Integer> ports =
          KeptPorts.keptOrFree(lock.folder().resolve("ports"), 2 + further.size(), "Kafka");
      KafkaBroker broker = new KafkaBroker(lock, ports, further, durability);
      broker.start();
      started = true;
      return broker;
    } finally {
      if (!started) {
        lock.close();
      }
    }
  }

  /** Does nothing while the broker runs; otherwise blocks until it answers again. */
  public synchronized void start() {
    if (closed) {
      throw new IllegalStateException("Kafka in " + lock.folder() + " is closed");
    }
    if (running != null) {
      return;
    }
    wanted = true;
    ports.forEach(this::requireFree);
    BrokerExits.refuse();
    refusalsAtStart = BrokerExits.refusals();
    boolean started = false;
    try {
      formatUnlessDone();
      running = new KafkaRaftServer(config(), Time.SYSTEM);
      running.startup();
      started = true;
    } catch (Exception failure) {
      throw new EmbeddedBackendException(
          "Kafka in %s did not start: %s".formatted(lock.folder(), failure), failure);
    } finally {
      if (!started) {
        stopRunning();
      }
    }
    log.info("Kafka ready on {} with its data in {}", bootstrap(), lock.folder());
  }

  /** Starts it again if it has failed since it was started. */
  synchronized void restartIfFailed() {
    boolean failed = running == null || BrokerExits.refusals() != refusalsAtStart;
    if (wanted && !closed && failed) {
      stopRunning();
      start();
    }
  }

  private void requireFree(int port) {
    if (!KeptPorts.becomesFree(port)) {
      throw new EmbeddedBackendException(
          "Kafka in %s did not start: port %d is taken".formatted(lock.folder(), port));
    }
  }

  private KafkaConfig config() {
    return new KafkaConfig(BrokerSettings.of(data, ports, further, durability), false);
  }

  private void formatUnlessDone() throws Exception {
    if (Files.exists(data.resolve("meta.properties"))) {
      return;
    }
    new Formatter()
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, "UTF-8"))
        .setNodeId(BrokerSettings.NODE_ID)
        .setClusterId(Uuid.randomUuid().toString())
        .addDirectory(data.toString())
        .setMetadataLogDirectory(data.toString())
        .setControllerListenerName(BrokerSettings.CONTROLLER_LISTENER)
        .run();
  }

  /** Keeps the port for the next start. A broker that does not stop in time is abandoned. */
  public synchronized void stop() {
    wanted = false;
    stopRunning();
  }

  private void stopRunning() {
    KafkaRaftServer server = running;
    if (server == null) {
      return;
    }
    running = null;
    Thread stopping = new Thread(() -> shutDown(server), "kafka-broker-stop");
    stopping.setDaemon(true);
    stopping.start();
    try {
      stopping.join(STOP_LIMIT.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (stopping.isAlive()) {
      log.warn("Kafka in {} did not stop within {} s", data, STOP_LIMIT.toSeconds());
    }
  }

  private static void shutDown(KafkaRaftServer server) {
    server.shutdown();
    server.awaitShutdown();
  }

  /** {@code 127.0.0.1:port}, as clients take it. */
  public String bootstrap() {
    return "127.0.0.1:" + ports.get(0);
  }

  /** The same of a further listener. */
  public String bootstrap(String listener) {
    for (int i = 0; i < further.size(); i++) {
      if (further.get(i).name().equals(listener)) {
        return "127.0.0.1:" + ports.get(i + 2);
      }
    }
    throw new IllegalArgumentException("no listener " + listener);
  }

  /** Stops the broker and releases the folder. */
  @Override
  public void close() {
    wanted = false;
    synchronized (this) {
      if (!closed) {
        closed = true;
        stopRunning();
        lock.close();
      }
    }
  }
}
