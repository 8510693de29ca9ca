package io.egress.bench.torture;

import io.egress.api.ApiMain;
import io.egress.dispatcher.DispatcherMain;
import io.egress.embedded.FreePort;
import io.egress.platform.lifecycle.RunningProcess;
import io.egress.webhook.endpoint.SecretBox;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * The processes under test: two of the api and three dispatchers, on {@link FleetBackends} that
 * each of them reaches through proxies of its own.
 */
final class Fleet {
  static final String RETRY_SCHEDULE = "1s,2s,3s,5s,10s,20s";
  static final String TOKEN = UUID.randomUUID().toString();

  private static final int APIS = 2;
  private static final int DISPATCHERS = 3;

  private final FleetBackends backends;
  private final List<Role> apis = new ArrayList<>();
  private final List<Role> dispatchers = new ArrayList<>();

  private Fleet(
      RunningProcess process,
      Path folder,
      FleetBackends backends,
      Build build,
      Map<String, String> further) {
    this.backends = backends;
    Vertx links = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    process.pushAsync("the links", links::close);
    Map<String, String> shared = settings();
    shared.putAll(backends.settings());
    shared.putAll(further);
    for (int i = 0; i < APIS + DISPATCHERS; i++) {
      Link database = Link.open(links);
      Link kafka = Link.open(links);
      Map<String, String> own = new TreeMap<>(shared);
      own.putAll(backends.addresses(database, kafka));
      own.put("EGRESS_PUBLIC_PORT", Integer.toString(FreePort.choose()));
      own.put("EGRESS_INTERNAL_PORT", Integer.toString(FreePort.choose()));
      if (i < APIS) {
        apis.add(
            new Role("api-" + i, ApiMain.class.getName(), folder, build, own, database, kafka));
      } else {
        dispatchers.add(
            new Role(
                "dispatcher-" + (i - APIS),
                DispatcherMain.class.getName(),
                folder,
                build,
                own,
                database,
                kafka));
      }
    }
    process.push("the processes", this::close);
    backends.lead(roles());
  }

  /**
   * Returns when everything is up, with {@code build} and {@code further} settings; it ends with
   * {@code process}.
   */
  static Fleet start(
      RunningProcess process,
      Path folder,
      FleetBackends backends,
      Build build,
      Map<String, String> further)
      throws InterruptedException {
    Fleet fleet = new Fleet(process, folder, backends, build, further);
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

  FleetBackends backends() {
    return backends;
  }

  /**
   * Those of {@code roles} that do not report {@code backend} as up, or not up, within {@code max}.
   */
  static List<Role> without(List<Role> roles, String backend, boolean up, Duration max)
      throws InterruptedException {
    long end = System.nanoTime() + max.toNanos();
    List<Role> wrong = roles;
    while (!wrong.isEmpty() && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(200);
      wrong = wrong.stream().filter(role -> role.reports(backend) != up).toList();
    }
    return wrong;
  }

  private void close() {
    roles().forEach(role -> role.database.become(Link.Mood.FINE));
    roles().forEach(role -> role.kafka.become(Link.Mood.FINE));
    // Each takes a second or two to stop.
    roles().parallelStream().forEach(Role::close);
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
