package io.egress.testing;

import static java.util.stream.Collectors.joining;

import io.egress.embedded.BrokerProcess;
import io.egress.embedded.EmbeddedBackendException;
import io.egress.embedded.FileTrees;
import io.egress.embedded.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Several Kafka brokers on 127.0.0.1, each of them a controller, too, and a process of its own.
 * Brokers are numbered from 0; their settings are Kafka's own unless given. Not for production.
 */
public final class BrokerCluster implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final String CONTROLLER_LISTENER = "CONTROLLER";
  private static final Duration POLL = Duration.ofMillis(100);

  private final Path folder;
  private final Map<String, String> given;
  private final String clusterId = Uuid.randomUuid().toString();
  private final List<Node> nodes = new ArrayList<>();

  private static final class Node {
    private final Path folder;
    private final int port;
    private final int controllerPort;
    private @Nullable BrokerProcess process;

    private Node(Path folder) {
      this.folder = folder;
      this.port = FreePort.choose();
      this.controllerPort = FreePort.choose();
    }
  }

  private BrokerCluster(Path folder, int count, Map<String, String> given) {
    this.folder = folder;
    this.given = Map.copyOf(given);
    for (int i = 0; i < count; i++) {
      nodes.add(new Node(folder.resolve("broker-" + i)));
    }
  }

  /** Blocks until all brokers are members of the cluster. Its data are in {@code folder}. */
  public static BrokerCluster start(Path folder, int count, Map<String, String> settings) {
    BrokerCluster cluster = new BrokerCluster(folder, count, settings);
    boolean started = false;
    try {
      IntStream.range(0, count).forEach(cluster::launch);
      cluster.awaitAll();
      started = true;
      return cluster;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  public int size() {
    return nodes.size();
  }

  public boolean isRunning(int broker) {
    BrokerProcess process = nodes.get(broker).process;
    return process != null && process.isAlive();
  }

  /** Of all brokers, as clients take it. */
  public String bootstrap() {
    return nodes.stream().map(BrokerCluster::address).collect(joining(","));
  }

  /** The broker that leads the controllers. */
  public int leader() {
    try (Admin admin = admin(bootstrap())) {
      return admin.describeMetadataQuorum().quorumInfo().get(30, TimeUnit.SECONDS).leaderId() - 1;
    } catch (ExecutionException | InterruptedException | TimeoutException failure) {
      throw new EmbeddedBackendException(
          "The leader of the quorum is unknown: " + failure, failure);
    }
  }

  /** As {@code kill -9} does. */
  public void kill(int broker) {
    BrokerProcess process = nodes.get(broker).process;
    if (process != null) {
      process.kill();
    }
  }

  /** Lets the broker hand over its partitions, and kills it if that takes too long. */
  public void terminate(int broker) {
    BrokerProcess process = nodes.get(broker).process;
    if (process != null) {
      process.stop();
    }
  }

  /** Starts a broker that does not run, on its ports and data; blocks until it is a member. */
  public void start(int broker) {
    if (!isRunning(broker)) {
      launch(broker);
      awaitMembers(address(nodes.get(broker)), List.of(broker));
    }
  }

  /** Deletes the data of a broker that does not run. */
  public void wipe(int broker) {
    if (isRunning(broker)) {
      throw new IllegalStateException("broker " + broker + " is running");
    }
    Path data = data(nodes.get(broker));
    if (Files.exists(data)) {
      FileTrees.delete(data);
    }
  }

  /** Ends all brokers; their data stay. */
  @Override
  public void close() {
    IntStream.range(0, nodes.size()).forEach(this::kill);
  }

  /** Blocks until all brokers are members of the cluster. */
  public void awaitAll() {
    awaitMembers(bootstrap(), all());
  }

  private List<Integer> all() {
    return IntStream.range(0, nodes.size()).boxed().toList();
  }

  /**
   * Blocks until all brokers are members of the cluster, and most replicas of each partition are in
   * sync.
   */
  public void awaitWritable() {
    awaitAll();
    await(bootstrap(), all(), this::knowsItsBrokers);
    await(bootstrap(), all(), BrokerCluster::isWritable);
  }

  /**
   * A broker that was left without the others still describes replicas as they were. A topic on all
   * brokers can only be created once a controller has admitted them again.
   */
  private boolean knowsItsBrokers(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    String topic = "admitted-" + Uuid.randomUuid();
    admin
        .createTopics(List.of(new NewTopic(topic, 1, (short) size())))
        .all()
        .get(5, TimeUnit.SECONDS);
    admin.deleteTopics(List.of(topic)).all().get(5, TimeUnit.SECONDS);
    return true;
  }

  /** Starts a broker that does not run, on its ports and data, without waiting for it. */
  public void launch(int broker) {
    Node node = nodes.get(broker);
    Properties settings = new Properties();
    settings.putAll(settings(broker));
    settings.putAll(given);
    try {
      Files.createDirectories(node.folder);
      node.process =
          BrokerProcess.launch(
              node.folder.resolve("broker.properties"), clusterId, settings, List.of());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Fenced brokers are not listed. */
  private void awaitMembers(String bootstrap, List<Integer> brokers) {
    await(
        bootstrap,
        brokers,
        admin ->
            admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).stream()
                .map(member -> member.id() - 1)
                .toList()
                .containsAll(brokers));
  }

  private static boolean isWritable(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    Set<String> topics = admin.listTopics().names().get(5, TimeUnit.SECONDS);
    return admin.describeTopics(topics).allTopicNames().get(5, TimeUnit.SECONDS).values().stream()
        .flatMap(topic -> topic.partitions().stream())
        .allMatch(partition -> 2 * partition.isr().size() > partition.replicas().size());
  }

  private interface Condition {
    boolean holds(Admin admin) throws ExecutionException, InterruptedException, TimeoutException;
  }

  private void await(String bootstrap, List<Integer> brokers, Condition condition) {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    try (Admin admin = admin(bootstrap)) {
      while (!holds(condition, admin)) {
        if (System.nanoTime() - deadline > 0 || !brokers.stream().allMatch(this::isRunning)) {
          throw new EmbeddedBackendException(
              "Brokers %s in %s did not start".formatted(brokers, folder));
        }
        LockSupport.parkNanos(POLL.toNanos());
      }
    }
  }

  private static boolean holds(Condition condition, Admin admin) {
    try {
      return condition.holds(admin);
    } catch (ExecutionException | TimeoutException notYet) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EmbeddedBackendException("interrupted", interrupted);
    }
  }

  private static Admin admin(String bootstrap) {
    return Admin.create(Map.of("bootstrap.servers", bootstrap));
  }

  private Map<String, String> settings(int broker) {
    Node node = nodes.get(broker);
    String listener = "BROKER://" + address(node);
    Map<String, String> settings = new HashMap<>();
    settings.put("node.id", Integer.toString(broker + 1));
    settings.put("process.roles", "broker,controller");
    settings.put("controller.quorum.voters", voters());
    settings.put("controller.listener.names", CONTROLLER_LISTENER);
    settings.put("inter.broker.listener.name", "BROKER");
    settings.put(
        "listeners", listener + "," + CONTROLLER_LISTENER + "://127.0.0.1:" + node.controllerPort);
    settings.put("advertised.listeners", listener);
    settings.put(
        "listener.security.protocol.map", "BROKER:PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT");
    settings.put("log.dirs", data(node).toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("offsets.topic.num.partitions", "3");
    settings.put("offsets.topic.replication.factor", Integer.toString(Math.min(3, nodes.size())));
    settings.put("num.network.threads", "1");
    settings.put("num.io.threads", "2");
    settings.put("background.threads", "2");
    settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(8 << 20));
    return settings;
  }

  private String voters() {
    return IntStream.range(0, nodes.size())
        .mapToObj(i -> (i + 1) + "@127.0.0.1:" + nodes.get(i).controllerPort)
        .collect(joining(","));
  }

  private static String address(Node node) {
    return "127.0.0.1:" + node.port;
  }

  private static Path data(Node node) {
    return node.folder.resolve("data");
  }
}
