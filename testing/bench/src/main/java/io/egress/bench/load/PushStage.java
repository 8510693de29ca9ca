package io.egress.bench.load;

import io.egress.api.ApiMain;
import io.egress.cli.InternalApi;
import io.egress.dispatcher.DispatcherMain;
import io.egress.embedded.EmbeddedBackends;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.settings.Settings;
import io.egress.standalone.receiver.LocalCertificate;
import io.egress.standalone.run.ChildProcess;
import io.egress.standalone.run.ServiceJvm;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The environment of the dispatchers under test: PostgreSQL, a broker and an api in separate
 * processes, and the receiver in this one.
 */
final class PushStage {
  /** The parts of the service and its backends, by which processes are grouped. */
  static final List<String> SERVICE = List.of("api", "dispatcher", "PostgreSQL", "Kafka");

  private final RunningProcess process;
  private final PushOptions options;
  private final Path folder;
  private final Vertx vertx;
  private final PushReceiver receiver;
  private final Map<String, String> environment;
  private final Settings settings;
  private final History history;
  private final ProcessHandle broker;
  private final ChildProcess apiProcess;
  private final InternalApi api;
  private final int publicPort;
  private final int internalPort;
  private final ProcessHandle database;

  private PushStage(RunningProcess process, PushOptions options, Map<String, String> shared)
      throws InterruptedException {
    this.process = process;
    this.options = options;
    this.folder = folder(process);
    this.vertx = Vertx.vertx();
    process.push(vertx);
    LocalCertificate certificate = options.plain() ? null : certificate(process);
    this.receiver = PushReceiver.start(vertx, certificate);
    EmbeddedBackends backends = options.servers().start(process);
    this.broker = backends.kafka().handle();
    this.environment = environment(options, certificate);
    environment.putAll(options.servers().settings());
    environment.putAll(shared);
    environment.put("EGRESS_DATABASE_URL", backends.databaseUrl());
    environment.put("EGRESS_KAFKA_BOOTSTRAP", backends.kafkaBootstrap());
    this.settings = Settings.from(environment);
    this.history = new History(vertx, settings.database().url());
    process.push("the bench's connection", history);
    this.database = postmaster();
    this.apiProcess =
        child(
            "api", ServiceJvm.options("api", options.heapMegabytes()), ApiMain.class, environment);
    Matcher up = apiProcess.await("api is up: public port (\\d+), internal port (\\d+)");
    this.publicPort = Integer.parseInt(up.group(1));
    this.internalPort = Integer.parseInt(up.group(2));
    this.api = new InternalApi("127.0.0.1", internalPort, settings.internalToken());
  }

  static PushStage open(RunningProcess process, PushOptions options) throws InterruptedException {
    return open(process, options, Map.of());
  }

  /** {@code shared} settings apply to every role. */
  static PushStage open(RunningProcess process, PushOptions options, Map<String, String> shared)
      throws InterruptedException {
    return new PushStage(process, options, shared);
  }

  /** Returns when it is up; it ends with the bench. */
  ChildProcess dispatcher(String name) throws InterruptedException {
    ChildProcess dispatcher = launchDispatcher(name, Map.of());
    awaitUp(dispatcher);
    return dispatcher;
  }

  /** It ends with the bench. */
  ChildProcess launchDispatcher(String name, Map<String, String> own) {
    List<String> jvm = ServiceJvm.options("dispatcher", options.heapMegabytes());
    jvm.addAll(options.jvmOptions());
    Map<String, String> all = new TreeMap<>(environment);
    all.putAll(own);
    return child(name, jvm, DispatcherMain.class, all);
  }

  static void awaitUp(ChildProcess dispatcher) throws InterruptedException {
    dispatcher.await("dispatcher is up");
  }

  ResidentMax residentMax(List<ChildProcess> dispatchers) {
    return ResidentMax.of(apiProcess, dispatchers, options.heapMegabytes());
  }

  ProcessorTime processorTime(ChildProcess dispatcher) {
    return ProcessorTime.begin(processes(dispatcher));
  }

  /** Of the service and what it needs. */
  ThreadWork threadWork(ChildProcess dispatcher) {
    Map<String, Supplier<Stream<ProcessHandle>>> service = new TreeMap<>(processes(dispatcher));
    service.keySet().retainAll(SERVICE);
    return ThreadWork.begin(service);
  }

  BrokerRequests brokerRequests() {
    return BrokerRequests.begin(broker);
  }

  /** The sum of {@code figure} over the processes of each part. */
  Map<String, Long> sums(ChildProcess dispatcher, ToLongFunction<ProcessHandle> figure) {
    Map<String, Long> sums = new LinkedHashMap<>();
    processes(dispatcher)
        .forEach((part, running) -> sums.put(part, running.get().mapToLong(figure).sum()));
    return sums;
  }

  private Map<String, Supplier<Stream<ProcessHandle>>> processes(ChildProcess dispatcher) {
    return Map.of(
        "dispatcher", () -> Stream.of(dispatcher.handle()),
        "PostgreSQL", () -> Stream.concat(Stream.of(database), database.children()),
        "Kafka", () -> Stream.of(broker),
        "api", () -> Stream.of(apiProcess.handle()),
        "receiver", () -> Stream.of(ProcessHandle.current()));
  }

  /** Of the api, and of what it needs. */
  ProcessorTime processorTimeOfPulls() {
    return ProcessorTime.begin(
        Map.of(
            "PostgreSQL", () -> Stream.concat(Stream.of(database), database.children()),
            "api", () -> Stream.of(apiProcess.handle())));
  }

  long apiResidentKilobytes() {
    return ProcFiles.residentKilobytes(apiProcess.handle());
  }

  Vertx vertx() {
    return vertx;
  }

  Settings settings() {
    return settings;
  }

  /** What endpoints are created with, besides their URLs. */
  JsonObject endpoint() {
    return options.endpoint();
  }

  PushReceiver receiver() {
    return receiver;
  }

  History history() {
    return history;
  }

  InternalApi api() {
    return api;
  }

  int publicPort() {
    return publicPort;
  }

  int internalPort() {
    return internalPort;
  }

  Path folder() {
    return folder;
  }

  private ChildProcess child(
      String name, List<String> jvm, Class<?> main, Map<String, String> variables) {
    ChildProcess child =
        ChildProcess.start(
            folder, name, new ChildProcess.Command(jvm, main.getName(), List.of(), variables));
    process.push(name, child);
    return child;
  }

  /** The parent of the connection's server process. */
  private ProcessHandle postmaster() {
    int backend =
        RunningProcess.await(history.pool().query("select pg_backend_pid()").execute())
            .iterator()
            .next()
            .getInteger(0);
    return ProcessHandle.of(backend)
        .flatMap(ProcessHandle::parent)
        .orElseThrow(() -> new IllegalStateException("PostgreSQL runs on another machine"));
  }

  private static Map<String, String> environment(
      PushOptions options, @Nullable LocalCertificate certificate) {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    Map<String, String> environment = new TreeMap<>();
    environment.put("EGRESS_INTERNAL_TOKEN", UUID.randomUUID().toString());
    environment.put("EGRESS_INTERNAL_PORT", "0");
    environment.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    environment.put("EGRESS_PUBLIC_PORT", "0");
    environment.put("EGRESS_SECRET_KEY", Base64.getEncoder().encodeToString(key));
    environment.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    environment.put("EGRESS_ALLOW_HTTP_ENDPOINTS", Boolean.toString(options.plain()));
    if (certificate != null) {
      environment.put("EGRESS_EXTRA_TRUST", certificate.pem().toString());
    }
    return environment;
  }

  private static LocalCertificate certificate(RunningProcess process) {
    LocalCertificate made = LocalCertificate.make();
    process.push("the certificate", made);
    return made;
  }

  private static Path folder(RunningProcess process) {
    try {
      Path folder = Files.createTempDirectory("egress-bench-push");
      process.push("the bench's folder", () -> delete(folder));
      return folder;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
