package io.egress.standalone.demo;

import io.egress.cli.InternalApi;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.run.Backends;
import io.egress.standalone.run.Standalone;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The whole service on embedded servers in a temporary folder, with a sample capture every second.
 */
@Command(
    name = "demo",
    description =
        "Shows the service at work: captures arrive every second; pull them as they come, and see"
            + " them pushed to a receiver that verifies each webhook.",
    footer = {"", "For half a minute:", "  egress demo --seconds 30"})
public final class DemoCommand implements Callable<Integer> {
  private static final int PREFERRED_PORT = 8080;

  @Option(
      names = "--seconds",
      defaultValue = "0",
      description = "end by itself after so many seconds; 0 goes on until Ctrl-C")
  private int seconds;

  @Override
  public Integer call() throws InterruptedException {
    System.out.println(
        "starting PostgreSQL, Kafka, a receiver and the service in scratch folders ...");
    RunningProcess process = RunningProcess.begin();
    Journal journal = new Journal(System.out);
    process.push("the summary", journal::summary);
    DemoReceiver receiver = DemoReceiver.start(process, journal);
    Settings settings =
        Settings.from(Backends.complete(process, environment(receiver), EmbeddedOptions.scratch()));
    Standalone service = Standalone.start(process, settings);
    InternalApi api =
        new InternalApi("127.0.0.1", service.api().internalPort(), settings.internalToken());
    UUID workspace = UUID.randomUUID();
    receiver.createEndpoints(api, workspace);
    tell(service.api().publicPort(), mintKey(api, workspace), portalLink(api, workspace));
    journal.begin();
    Pipeline pipeline = new Pipeline(api, workspace, journal);
    process.push("the sample captures", pipeline::end);
    pipeline.begin();
    if (seconds > 0) {
      TimeUnit.SECONDS.sleep(seconds);
      pipeline.end();
    } else {
      process.waitForStop();
    }
    return 0;
  }

  private static String mintKey(InternalApi api, UUID workspace) {
    return api.call(
            "POST", "/workspaces/" + workspace + "/api-keys", new JsonObject().put("name", "demo"))
        .getString("key");
  }

  private static String portalLink(InternalApi api, UUID workspace) {
    return api.call(
            "POST",
            "/workspaces/" + workspace + "/portal-links",
            new JsonObject().put("role", "admin").put("actor", "demo"))
        .getString("url");
  }

  private static void tell(int port, String key, String link) {
    System.out.printf(
        """

        Pull what has arrived, oldest first; put pageInfo.endCursor into after=... for what comes next:

          curl -s --compressed -H 'Authorization: Bearer %s' 'http://localhost:%d/api/v1/captures?limit=2'

        Description of the interface: http://localhost:%d/api/v1/openapi.json

        Settings page of this workspace (the link opens it once, within five minutes):

          %s

        %s
        Ctrl-C ends the demo.

        """,
        key, port, port, link, DemoReceiver.explanation());
  }

  private static Map<String, String> environment(DemoReceiver receiver) {
    Map<String, String> environment = new TreeMap<>(receiver.settings());
    environment.put("EGRESS_INTERNAL_TOKEN", UUID.randomUUID().toString());
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_ACCESS_LOG", "false");
    // A container listens on all of its addresses, and its ports are published.
    putGiven(environment, "EGRESS_INTERNAL_HOST", () -> "127.0.0.1");
    putGiven(environment, "EGRESS_INTERNAL_PORT", () -> "0");
    putGiven(environment, "EGRESS_PUBLIC_HOST", () -> "127.0.0.1");
    putGiven(environment, "EGRESS_PUBLIC_PORT", () -> Integer.toString(freePort()));
    return environment;
  }

  private static void putGiven(
      Map<String, String> environment, String name, Supplier<String> fallback) {
    String given = System.getenv(name);
    environment.put(name, given == null ? fallback.get() : given);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), PREFERRED_PORT));
      return PREFERRED_PORT;
    } catch (IOException taken) {
      return 0;
    }
  }
}
