package io.egress.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker on 127.0.0.1 in a process of its own, which can be ended whatever state it is in,
 * with a data folder of its own. It can be stopped and restarted on the same port.
 */
public final class KafkaBroker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KafkaBroker.class);

  private static final String SETTINGS_FILE = "broker.properties";

  private final DataDirectoryLock lock;
  private final Path data;
  private final List<Integer> ports;
  private final List<BrokerListener> further;
  private final Durability durability;
  private final List<String> jvm;
  private @Nullable BrokerProcess running;
  private boolean endIsNews;
  private volatile boolean wanted;
  private volatile boolean closed;

  private KafkaBroker(
      DataDirectoryLock lock,
      List<Integer> ports,
      List<BrokerListener> further,
      Durability durability,
      List<String> jvm) {
    this.lock = lock;
    this.data = lock.folder().resolve("data");
    this.ports = List.copyOf(ports);
    this.further = List.copyOf(further);
    this.durability = durability;
    this.jvm = List.copyOf(jvm);
  }

  /** Blocks until the broker answers. */
  public static KafkaBroker start(Path folder, Durability durability) {
    return start(folder, durability, List.of(), List.of());
  }

  /** With listeners beside the plaintext one, and with further options of its JVM. */
  public static KafkaBroker start(
      Path folder, Durability durability, List<BrokerListener> further, List<String> jvm) {
    DataDirectoryLock lock = DataDirectoryLock.acquire(folder);
    boolean started = false;
    try {
      List<Integer> ports =
          KeptPorts.keptOrFree(lock.folder().resolve("ports"), 2 + further.size(), "Kafka");
      KafkaBroker broker = new KafkaBroker(lock, ports, further, durability, jvm);
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
    if (isRunning()) {
      return;
    }
    wanted = true;
    ports.forEach(this::requireFree);
    boolean started = false;
    try {
      running =
          BrokerProcess.launch(
              lock.folder().resolve(SETTINGS_FILE),
              Uuid.randomUuid().toString(),
              BrokerSettings.of(data, ports, further, durability),
              jvm);
      running.awaitReady();
      endIsNews = true;
      started = true;
    } catch (IOException | EmbeddedBackendException failure) {
      throw new EmbeddedBackendException(
          "Kafka in %s did not start: %s".formatted(lock.folder(), failure.getMessage()), failure);
    } finally {
      if (!started && running != null) {
        running.kill();
        running = null;
      }
    }
    log.info("Kafka ready on {} with its data in {}", bootstrap(), lock.folder());
  }

  /** Starts it again if it has ended by itself. */
  synchronized void restartIfFailed() {
    if (wanted && !closed && !isRunning()) {
      if (endIsNews) {
        endIsNews = false;
        log.warn("Kafka in {} has ended; restarting it", lock.folder());
      }
      start();
    }
  }

  private boolean isRunning() {
    return running != null && running.isAlive();
  }

  private void requireFree(int port) {
    if (!KeptPorts.becomesFree(port)) {
      throw new EmbeddedBackendException(
          "Kafka in %s did not start: port %d is taken".formatted(lock.folder(), port));
    }
  }

  /** Keeps the port for the next start. */
  public synchronized void stop() {
    wanted = false;
    if (running != null) {
      running.stop();
      running = null;
    }
  }

  /** As {@code kill -9} does. */
  public synchronized void kill() {
    wanted = false;
    if (running != null) {
      running.kill();
      running = null;
    }
  }

  /** Its process; fails if it does not run. */
  public synchronized ProcessHandle handle() {
    return requireNonNull(running, "Kafka does not run").handle();
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
        try {
          stop();
        } finally {
          lock.close();
        }
      }
    }
  }
}
