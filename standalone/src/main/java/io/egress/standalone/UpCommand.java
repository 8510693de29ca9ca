package io.egress.standalone;

import io.egress.cli.StoredSecret;
import io.egress.embedded.EmbeddedOptions;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.run.Backends;
import io.egress.standalone.run.Standalone;
import io.egress.standalone.train.BackgroundTraining;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The whole service in one JVM. */
@Command(
    name = "up",
    description =
        "Runs the whole service in one JVM. Embedded PostgreSQL and Kafka keep their data in"
            + " EGRESS_DATA_DIR (default ./data), unless EGRESS_DATABASE_URL and"
            + " EGRESS_KAFKA_BOOTSTRAP name others.",
    footer = {
      "",
      "With a receiver on this machine:",
      "  EGRESS_ALLOW_HTTP_ENDPOINTS=true \\",
      "      EGRESS_ALLOW_ENDPOINT_NETWORKS=127.0.0.0/8 egress up"
    })
final class UpCommand implements Callable<Integer> {
  /** Set by the start script if the output is a terminal, which the JVM cannot tell reliably. */
  private static final String TERMINAL = "egress.terminal";

  @Override
  public Integer call() {
    PrintStream out = System.out;
    Map<String, String> environment = new TreeMap<>(System.getenv());
    Path dataDir = Path.of(environment.getOrDefault("EGRESS_DATA_DIR", "./data"));
    Preflight.check(environment);
    Preflight.checkFolder(dataDir);
    completeSecrets(environment, dataDir, out);
    RunningProcess process = RunningProcess.begin();
    Settings settings =
        Settings.from(Backends.complete(process, environment, EmbeddedOptions.persistent(dataDir)));
    Standalone service = Standalone.start(process, settings);
    // One call, because log lines may go to the same terminal.
    out.println(
        String.format(
            "up: pull on http://localhost:%d/api/v1/captures, internal API on http://%s:%d/internal/v1",
            service.api().publicPort(),
            settings.internalListener().host(),
            service.api().internalPort()));
    BackgroundTraining.begin(process, Main.class);
    process.waitForStop();
    return 0;
  }

  private static void completeSecrets(
      Map<String, String> environment, Path dataDir, PrintStream out) {
    StoredSecret token = StoredSecret.INTERNAL_TOKEN;
    token.complete(
        environment,
        dataDir,
        made ->
            out.println(
                Boolean.getBoolean(TERMINAL)
                    ? token.setting() + "=" + made + "  (generated now, stored in " + dataDir + ")"
                    : token.setting() + " was generated and stored in " + token.file(dataDir)));
    StoredSecret key = StoredSecret.SECRET_KEY;
    key.complete(
        environment,
        dataDir,
        _ ->
            out.println(
                key.setting()
                    + " was generated and stored in "
                    + key.file(dataDir)
                    + "; it encrypts the endpoints' signing secrets, keep it with the data"));
  }
}
