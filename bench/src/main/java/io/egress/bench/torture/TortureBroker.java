package io.egress.bench.torture;

import io.egress.embedded.BrokerListener;
import io.egress.embedded.Durability;
import io.egress.embedded.KafkaBroker;
import io.egress.lifecycle.RunningProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Kafka in its own JVM, with a listener for each process that reaches it through a proxy. Ends when
 * its standard input is closed.
 */
public final class TortureBroker {
  static final String READY = "bootstrap ";

  private TortureBroker() {}

  /** The arguments are the data folder and the proxies' ports. Prints the listeners' ports. */
  public static void main(String[] arguments) throws IOException {
    RunningProcess process = RunningProcess.begin();
    List<BrokerListener> listeners =
        Arrays.stream(arguments).skip(1).map(TortureBroker::proxied).toList();
    KafkaBroker broker = KafkaBroker.start(Path.of(arguments[0]), Durability.UNSYNCED, listeners);
    process.push("the broker", broker);
    System.out.println(
        READY
            + listeners.stream()
                .map(listener -> broker.bootstrap(listener.name()).split(":", -1)[1])
                .collect(Collectors.joining(",")));
    while (System.in.read() >= 0) {
      // Waits for the end of the input.
    }
    RunningProcess.exit(0);
  }

  private static BrokerListener proxied(String advertisedPort) {
    return new BrokerListener(
        "PROXY" + advertisedPort, "PLAINTEXT", Map.of(), Integer.valueOf(advertisedPort));
  }
}
