package io.egress.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * The process of an embedded broker. Stops on SIGTERM, and when the process that started it ends,
 * which closes its input. A broker that fails fatally ends at once: its own shutdown waits for a
 * controller, which has failed, too.
 */
final class BrokerNode {
  static final String CLUSTER_ID = "egress.cluster.id";

  /** Printed once the broker answers. */
  static final String READY = "broker is ready";

  private static final String STOPPING = "broker-stop";

  private BrokerNode() {}

  /** Its argument is a file with the broker's settings and {@link #CLUSTER_ID}. */
  public static void main(String[] arguments) throws Exception {
    Properties settings = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
      settings.load(file);
    }
    Exit.setExitProcedure(BrokerNode::end);
    Exit.setHaltProcedure(BrokerNode::end);
    formatUnlessDone(settings);
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.shutdown();
                  server.awaitShutdown();
                },
                STOPPING));
    server.startup();
    System.out.println(READY);
    awaitEndOfInput();
    Runtime.getRuntime().halt(0);
  }

  private static void end(int status, String message) {
    System.out.println("The broker fails with status " + status + ": " + message);
    Runtime.getRuntime().halt(status);
  }

  private static void formatUnlessDone(Properties settings) throws Exception {
    Path data = Path.of(settings.getProperty("log.dirs"));
    if (Files.exists(data.resolve("meta.properties"))) {
      return;
    }
    new Formatter()
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .setNodeId(Integer.parseInt(settings.getProperty("node.id")))
        .setClusterId(settings.getProperty(CLUSTER_ID))
        .addDirectory(data.toString())
        .setMetadataLogDirectory(data.toString())
        .setControllerListenerName(settings.getProperty("controller.listener.names"))
        .run();
  }

  private static void awaitEndOfInput() throws IOException {
    int read = 0;
    while (read >= 0) {
      read = System.in.read();
    }
  }
}
