package io.egress.bench.load;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.lifecycle.RunningProcess;
import java.io.IOException;

/**
 * Kafka in a JVM of its own, so that its heap and its processor time are told apart from the
 * bench's. It lives as long as its standard input is open, which ends with the bench however that
 * ends.
 */
public final class BenchBroker {
  static final String READY = "bootstrap ";

  private BenchBroker() {}

  public static void main(String[] arguments) throws IOException {
    RunningProcess process = RunningProcess.begin();
    EmbeddedBackends broker = EmbeddedBackends.start(EmbeddedOptions.scratch().withoutPostgres());
    process.push("the broker", broker);
    System.out.println(READY + broker.kafkaBootstrap());
    while (System.in.read() >= 0) {
      // Nothing is said here; the end is what is waited for.
    }
    RunningProcess.exit(0);
  }
}
