package io.egress.standalone.train;

import io.egress.cli.InternalApi;
import io.egress.embedded.BrokerProcess;
import io.egress.embedded.ChildJvm;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.embedded.FileTrees;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.receiver.LocalCertificate;
import io.egress.standalone.receiver.WebhookReceiver;
import io.egress.standalone.run.ChildProcess;
import io.egress.standalone.run.ServiceJvm;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the service under a sample load, and makes AOT caches from what its JVMs record. */
@Command(
    name = "train",
    description =
        "Makes the caches with which the service starts sooner and needs less processor time in its"
            + " first minutes: runs it for a quarter of a minute on embedded servers, with sample"
            + " captures. A cache is for one machine's JDK and one release's libraries.",
    footer = {"", "After an archive was unpacked:", "  egress train"})
public final class TrainCommand implements Callable<Integer> {
  private static final String SERVICE_UP =
      "up: pull on http://localhost:(\\d+)\\D.*internal API on http://[^:]+:(\\d+)";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--to",
      paramLabel = "FOLDER",
      description = "where the caches go; beside the libraries if not given")
  private @Nullable Path to = ServiceJvm.caches();

  @Option(
      names = "--seconds",
      defaultValue = "15",
      description = "length of the sample load (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (to == null) {
      throw new ParameterException(spec.commandLine(), "give --to");
    }
    RunningProcess process = RunningProcess.begin();
    Path folder = Files.createTempDirectory(Files.createDirectories(to), ".training");
    process.push("the records", () -> FileTrees.delete(folder));
    for (TrainedJvm jvm : record(process, folder)) {
      Path file = ServiceJvm.cache(to, jvm.name());
      jvm.makeCache(process, file);
      System.out.printf("%s, %d MB%n", file, Files.size(file) >> 20);
    }
    return 0;
  }

  /** Returns when the JVMs that were recorded have ended. */
  private List<TrainedJvm> record(RunningProcess process, Path folder)
      throws IOException, InterruptedException {
    List<TrainedJvm> recorded = new ArrayList<>();
    EmbeddedOptions servers =
        EmbeddedOptions.scratch()
            .unsynced()
            .withBrokerJvm(TrainedJvm.recording(folder, ServiceJvm.BROKER));
    recorded.add(new TrainedJvm(folder, ServiceJvm.BROKER, BrokerProcess.jvm()));
    TrainedJvm service = new TrainedJvm(folder, ServiceJvm.SERVICE, line());
    recorded.add(service);
    Vertx vertx = Vertx.vertx();
    try (EmbeddedBackends backends = EmbeddedBackends.start(servers);
        LocalCertificate certificate = LocalCertificate.make()) {
      // Closed here before the caches are made, and there if the run is stopped.
      process.push("the embedded servers", backends);
      process.push(vertx);
      Map<String, String> environment = environment(backends, certificate, folder);
      WebhookReceiver receiver =
          RunningProcess.await(WebhookReceiver.start(vertx, certificate, _ -> {}));
      try (ChildProcess child =
          ChildProcess.start(
              folder,
              service.name(),
              TrainedJvm.with(TrainedJvm.recording(folder, service.name()), service.line()),
              environment)) {
        process.push("the recorded service", child);
        load(child, environment, receiver);
        child.terminate(ChildJvm.RECORD_MAX);
      }
    }
    return recorded;
  }

  private List<String> line() {
    List<String> line = ChildJvm.command();
    line.addAll(ServiceJvm.ofRole("up"));
    line.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
    line.addAll(List.of(spec.root().userObject().getClass().getName(), "up"));
    return line;
  }

  private void load(ChildProcess child, Map<String, String> environment, WebhookReceiver receiver)
      throws InterruptedException {
    Matcher up = child.await(SERVICE_UP);
    Settings settings = Settings.from(environment);
    InternalApi internal =
        new InternalApi("127.0.0.1", Integer.parseInt(up.group(2)), settings.internalToken());
    new SampleLoad(internal, Integer.parseInt(up.group(1)), receiver)
        .run(Duration.ofSeconds(seconds));
  }

  private static Map<String, String> environment(
      EmbeddedBackends backends, LocalCertificate certificate, Path folder) {
    Map<String, String> environment = new TreeMap<>();
    environment.put("EGRESS_DATABASE_URL", backends.databaseUrl());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    environment.put("EGRESS_DATA_DIR", folder.resolve("data").toString());
    environment.put("EGRESS_INTERNAL_TOKEN", UUID.randomUUID().toString());
    environment.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_EXTRA_TRUST", certificate.pem().toString());
    environment.put("EGRESS_RETRY_SCHEDULE", "1s,5s,15s,1m,5m,15m");
    return environment;
  }
}
