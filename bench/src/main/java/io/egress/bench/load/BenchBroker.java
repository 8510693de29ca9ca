package io.egress.bench.load;

import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.lifecycle.RunningProcess;
import java.io.IOException;

/**
 * Kafka in its own JVM, so that its heap and processor time are separate from the bench's. It ends
 * when its standard input is closed, which also happens if the bench is killed.
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
      // Nothing is sent; the end of the stream is awaited.
    }
    RunningProcess.exit(0);
  }
}
