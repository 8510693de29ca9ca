package io.egress.bench.torture;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import io.egress.embedded.EmbeddedBackends;
import io.egress.embedded.EmbeddedOptions;
import io.egress.embedded.FreePort;
import io.egress.embedded.SmallDisk;
import io.egress.endpoint.SecretBox;
import io.egress.lifecycle.RunningProcess;
import io.egress.standalone.run.ChildProcess;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The processes under test: two of the api, three dispatchers, PostgreSQL and Kafka. Each role has
 * its own proxy to each backend.
 */
final class Fleet {
  static final String RETRY_SCHEDULE = "1s,2s,3s,5s,10s,20s";
  static final String TOKEN = UUID.randomUUID().toString();

  private static final int APIS = 2;
  private static final int DISPATCHERS = 3;
  private static final int BROKER_STARTS_MAX = 3;
  private static final int DISK_MEGABYTES = 1_200;

  private final Path folder;
  private final EmbeddedBackends postgres;
  private final Path postgresFolder;
  private final Optional<SmallDisk> disk;
  private final List<Role> apis = new ArrayList<>();
  private final List<Role> dispatchers = new ArrayList<>();
  private @Nullable ChildProcess broker;
  private int brokerStarts;

  private Fleet(RunningProcess process, Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    this.postgresFolder = Files.createDirectories(folder.resolve("postgres"));
    this.disk = SmallDisk.mount(postgresFolder, DISK_MEGABYTES);
    disk.ifPresent(mounted -> process.push("the file system", mounted));
    this.postgres =
        EmbeddedBackends.start(
            EmbeddedOptions.persistent(postgresFolder).unsynced().withoutKafka());
    process.push("PostgreSQL", postgres);
    Vertx links = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    process.pushAsync("the links", links::close);
    int databasePort = URI.create(postgres.databaseUrl()).getPort();
    Map<String, String> shared = settings();
    for (int i = 0; i < APIS + DISPATCHERS; i++) {
      Link database = Link.open(links);
      database.leadTo(databasePort);
      Link kafka = Link.open(links);
      Map<String, String> own = new TreeMap<>(shared);
      own.put(
          "EGRESS_DATABASE_URL",
          postgres.databaseUrl().replace(":" + databasePort + "/", ":" + database.port() + "/"));
      own.put("EGRESS_KAFKA_BOOTSTRAP", "127.0.0.1:" + kafka.port());
      own.put("EGRESS_PUBLIC_PORT", Integer.toString(FreePort.choose()));
      own.put("EGRESS_INTERNAL_PORT", Integer.toString(FreePort.choose()));
      if (i < APIS) {
        apis.add(new Role("api-" + i, ApiMain.class.getName(), folder, own, database, kafka));
      } else {
        dispatchers.add(
            new Role(
                "dispatcher-" + (i - APIS),
                DispatcherMain.class.getName(),
                folder,
                own,
                database,
                kafka));
      }
    }
    process.push("the processes", this::close);
    startBroker();
  }

  /** Returns when everything is up; it ends with {@code process}. */
  static Fleet start(RunningProcess process, Path folder) throws IOException, InterruptedException {
    Fleet fleet = new Fleet(process, folder);
    fleet.roles().forEach(Role::start);
    for (Role role : fleet.roles()) {
      role.awaitUp();
    }
    return fleet;
  }

  List<Role> apis() {
    return apis;
  }

  List<Role> dispatchers() {
    return dispatchers;
  }

  List<Role> roles() {
    List<Role> all = new ArrayList<>(apis);
    all.addAll(dispatchers);
    return all;
  }

  /** PostgreSQL's disk; empty if this process may not mount one. */
  Optional<SmallDisk> disk() {
    return disk;
  }

  /** Bypasses the proxies. */
  String databaseUrl() {
    return postgres.databaseUrl();
  }

  void stopPostgres() {
    postgres.postgres().stop();
  }

  /** Kills the postmaster with SIGKILL; its children notice and end. */
  void killPostgres() throws IOException {
    Path pidFile = postgresFolder.resolve("postgres").resolve("data").resolve("postmaster.pid");
    long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  void startPostgres() {
    postgres.postgres().start();
  }

  void killBroker() {
    if (broker != null) {
      broker.kill();
    }
  }

  void stopBroker() throws InterruptedException {
    if (broker != null) {
      broker.terminate();
    }
  }

  /** Retries with other ports if one was taken meanwhile. */
  void startBroker() throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        startBrokerOnce();
        return;
      } catch (IllegalStateException ended) {
        if (attempt == BROKER_STARTS_MAX) {
          throw ended;
        }
      }
    }
  }

  private void startBrokerOnce() throws InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(folder.resolve("kafka").toString());
    roles().forEach(role -> arguments.add(Integer.toString(role.kafka.port())));
    ChildProcess started =
        ChildProcess.start(
            folder,
            "kafka." + ++brokerStarts,
            new ChildProcess.Command(
                List.of("-Xmx512m", "-XX:+UseParallelGC"),
                TortureBroker.class.getName(),
                arguments,
                Map.of()));
    broker = started;
    String[] ports = started.await(TortureBroker.READY + "(\\S+)").group(1).split(",", -1);
    for (int i = 0; i < ports.length; i++) {
      roles().get(i).kafka.leadTo(Integer.parseInt(ports[i]));
    }
  }

  private void close() {
    roles().forEach(role -> role.database.become(Link.Mood.FINE));
    roles().forEach(role -> role.kafka.become(Link.Mood.FINE));
    // Each takes a second or two to stop.
    roles().parallelStream().forEach(Role::close);
    if (broker != null) {
      broker.close();
    }
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("EGRESS_INTERNAL_TOKEN", TOKEN);
    settings.put("EGRESS_INTERNAL_HOST", "127.0.0.1");
    settings.put("EGRESS_PUBLIC_HOST", "127.0.0.1");
    settings.put("EGRESS_SECRET_KEY", SecretBox.newKey());
    settings.put("EGRESS_ALLOW_ENDPOINT_NETWORKS", "127.0.0.0/8");
    settings.put("EGRESS_ALLOW_HTTP_ENDPOINTS", "true");
    settings.put("EGRESS_RETRY_SCHEDULE", RETRY_SCHEDULE);
    settings.put("EGRESS_ATTEMPT_TIMEOUT", "2s");
    settings.put("EGRESS_TOPIC_PARTITIONS", "6");
    settings.put("EGRESS_DATABASE_POOL_SIZE", "8");
    settings.put("EGRESS_ACCESS_LOG", "false");
    return settings;
  }
}
