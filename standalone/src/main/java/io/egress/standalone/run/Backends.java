package io.egress.standalone.run;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import java.util.Map;
import java.util.TreeMap;

/** Starts embedded servers where the environment names none. */
public final class Backends {
  private static final String DATABASE = "EGRESS_DATABASE_URL";
  private static final String KAFKA = "EGRESS_KAFKA_BOOTSTRAP";

  private Backends() {}

  /** The environment with the addresses of the started servers added. */
  public static Map<String, String> complete(
      RunningProcess process, Map<String, String> environment, EmbeddedOptions options) {
    Map<String, String> complete = new TreeMap<>(environment);
    boolean ownDatabase = isMissing(environment, DATABASE);
    boolean ownKafka = isMissing(environment, KAFKA);
    if (!ownDatabase && !ownKafka) {
      return complete;
    }
    EmbeddedOptions wanted = options.withBrokerJvm(ServiceJvm.broker());
    wanted = ownDatabase ? wanted : wanted.withoutPostgres();
    wanted = ownKafka ? wanted : wanted.withoutKafka();
    EmbeddedBackends started = EmbeddedBackends.start(wanted);
    process.push("the embedded servers", started);
    if (ownDatabase) {
      complete.put(DATABASE, started.databaseUrl());
    }
    if (ownKafka) {
      complete.put(KAFKA, started.kafkaBootstrap());
    }
    return complete;
  }

  private static boolean isMissing(Map<String, String> environment, String name) {
    return environment.getOrDefault(name, "").isBlank();
  }
}
