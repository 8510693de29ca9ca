package io.egress.bench.load;

import io.egress.bench.age.AgedCaptures;
import io.egress.bench.age.AgedData;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.standalone.run.ServiceJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** PostgreSQL and Kafka of a measurement, empty or on a copy of an aged database. */
final class BenchServers {
  @Option(
      names = "--aged",
      arity = "0..1",
      fallbackValue = "10000000",
      paramLabel = "CAPTURES",
      converter = AgedCaptures.class,
      description =
          "on a database as a year leaves it (`egress age`), of so many captures (10,000,000 if not"
              + " given). It is made once, which takes minutes, and copied for each run")
  private @Nullable Long captures;

  private Map<String, String> settings = Map.of();

  /** Starts them; they end with {@code process}. */
  EmbeddedBackends start(RunningProcess process) {
    EmbeddedOptions options = EmbeddedOptions.scratch().withBrokerJvm(ServiceJvm.broker());
    EmbeddedBackends backends =
        EmbeddedBackends.start(captures == null ? options : aged(options, captures));
    process.push("the embedded servers", backends);
    if (captures != null) {
      AgedData.sync();
    }
    return backends;
  }

  private EmbeddedOptions aged(EmbeddedOptions options, long count) {
    try {
      AgedData data = AgedData.of(count, AgedData.NEWEST);
      System.out.println(data.description());
      settings = data.settings();
      return options.withCopyOf(data.folder());
    } catch (SQLException failure) {
      throw new IllegalStateException("cannot make an aged database", failure);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Settings of a service on these servers, besides their addresses. */
  Map<String, String> settings() {
    return settings;
  }
}
