package io.egress.embedded;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL and Kafka on this machine, started together over one data folder. */
public final class EmbeddedBackends implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedBackends.class);

  /** PostgreSQL's part of a data folder. */
  public static final String POSTGRES = "postgres";

  static final String KAFKA = "kafka";

  private final DataDirectoryLock lock;
  private final boolean scratch;
  private @Nullable PostgresServer postgres;
  private @Nullable KafkaBroker kafka;
  private @Nullable Supervisor supervisor;

  private EmbeddedBackends(DataDirectoryLock lock, boolean scratch) {
    this.lock = lock;
    this.scratch = scratch;
  }

  /** Starts both servers with their data in {@code dataDir}; blocks until they answer. */
  public static EmbeddedBackends start(Path dataDir) {
    return start(EmbeddedOptions.persistent(dataDir));
  }

  /** Blocks until the servers answer. */
  public static EmbeddedBackends start(EmbeddedOptions options) {
    Path dataDir = options.dataDir();
    EmbeddedBackends backends =
        new EmbeddedBackends(
            DataDirectoryLock.acquire(dataDir == null ? ScratchFolder.create() : dataDir),
            dataDir == null);
    boolean started = false;
    try {
      backends.startServers(options);
      started = true;
      return backends;
    } finally {
      if (!started) {
        backends.close();
      }
    }
  }

  private void startServers(EmbeddedOptions options) {
    Durability durability = options.durability();
    CompletableFuture<@Nullable KafkaBroker> starting =
        options.kafka()
            ? inOwnThread(() ->
                KafkaBroker.start(
                    lock.folder().resolve(KAFKA), durability, List.of(), options.brokerJvm()))
            : CompletableFuture.completedFuture(null);
    try {
      if (options.postgres()) {
        postgres = startPostgres(lock.folder().resolve(POSTGRES), options);
      }
    } finally {
      kafka = joined(starting);
    }
    List<Runnable> restarts = new ArrayList<>();
    if (postgres != null) {
      restarts.add(postgres::restartIfFailed);
    }
    if (kafka != null) {
      restarts.add(kafka::restartIfFailed);
    }
    supervisor = new Supervisor(restarts);
  }

  private static PostgresServer startPostgres(Path folder, EmbeddedOptions options) {
    Path original = options.original();
    return original == null
        ? PostgresServer.start(folder, options.durability())
        : PostgresServer.startCopy(folder, original.resolve(POSTGRES), options.durability());
  }

  private static <T extends @Nullable Object> CompletableFuture<T> inOwnThread(Supplier<T> work) {
    return CompletableFuture.supplyAsync(
        work, task -> new Thread(task, "embedded-kafka-start").start());
  }

  private static <T extends @Nullable Object> T joined(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failure;
    }
  }

  public PostgresServer postgres() {
    if (postgres == null) {
      throw new IllegalStateException("PostgreSQL was not requested");
    }
    return postgres;
  }

  public KafkaBroker kafka() {
    if (kafka == null) {
      throw new IllegalStateException("Kafka was not requested");
    }
    return kafka;
  }

  /** The data folder; a temporary one unless configured. */
  public Path dataDir() {
    return lock.folder();
  }

  /** {@code postgresql://user:password@127.0.0.1:port/name}, the format of Vert.x and libpq. */
  public String databaseUrl() {
    return postgres().databaseUrl();
  }

  /** {@code 127.0.0.1:port}, the format of Kafka's clients. */
  public String kafkaBootstrap() {
    return kafka().bootstrap();
  }

  /** Stops the servers and releases the folder, or deletes it if it is temporary. */
  @Override
  @SuppressWarnings("try") // Declared for the order in which they are closed.
  public synchronized void close() {
    try (DataDirectoryLock heldToTheLast = lock;
        ScratchDeletion afterTheServers = this::deleteScratch;
        PostgresServer database = postgres;
        KafkaBroker broker = kafka;
        Supervisor first = supervisor) {
      if (first != null) {
        first.close();
      }
      if (scratch && database != null) {
        database.stopAtOnce();
      }
    }
  }

  private interface ScratchDeletion extends AutoCloseable {
    @Override
    void close();
  }

  private void deleteScratch() {
    if (scratch) {
      try {
        FileTrees.delete(lock.folder());
      } catch (UncheckedIOException failure) {
        log.warn("Cannot delete {}: {}", lock.folder(), failure.toString());
      }
    }
  }
}
