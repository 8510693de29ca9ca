package io.egress.bench.torture;

import io.egress.bench.age.AgedData;
import io.egress.bench.torture.Faults.Fault;
import io.egress.embedded.Durability;
import io.egress.embedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** PostgreSQL and Kafka under the fleet, and what can happen to them. */
interface FleetBackends extends AutoCloseable {
  /** Of the database, by way of nothing, for the checker. */
  String databaseUrl();

  /** The settings by which a role reaches them through its links. */
  Map<String, String> addresses(Link database, Link kafka);

  /** Returns when both answer to the roles, whose links exist. */
  void lead(List<Role> roles);

  /** Further settings of the roles. */
  Map<String, String> settings();

  /** Whether each role reaches Kafka through its own link. */
  boolean hasKafkaLinks();

  /** What can happen to them, in the context of {@code fleet}. */
  List<Fault> faults(Fleet fleet, Random random, Duration recoveryMax);

  @Override
  void close();

  /** How they are started. */
  interface Starter {
    /** Without {@code aged}, on an empty database. */
    FleetBackends start(Path folder, @Nullable AgedData aged) throws IOException;
  }

  /** A server that is empty, or begins with a copy of {@code aged}. */
  static PostgresServer startPostgres(Path folder, @Nullable AgedData aged) {
    return aged == null
        ? PostgresServer.start(folder, Durability.UNSYNCED)
        : PostgresServer.startCopy(folder, aged.postgres(), Durability.UNSYNCED);
  }
}
