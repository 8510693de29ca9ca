package io.egress.bench.load;

import io.egress.standalone.run.ChildProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Dispatcher processes that share the deliveries. Only the newest fleet runs at a time. */
final class DispatcherFleet implements AutoCloseable {
  private final PushStage stage;
  private final DeliveryGroup group;
  private final String name;
  private final Map<String, String> settings;
  private final List<ChildProcess> running = new ArrayList<>();
  private final Map<ChildProcess, Set<String>> members = new HashMap<>();
  private Set<String> known = Set.of();
  private int started;

  /** {@code settings} are added to those of the stage. */
  DispatcherFleet(PushStage stage, DeliveryGroup group, String name, Map<String, String> settings) {
    this.stage = stage;
    this.group = group;
    this.name = name;
    this.settings = Map.copyOf(settings);
  }

  /** Starts all at once; returns when all partitions are assigned. */
  void start(int processes) throws InterruptedException {
    for (int i = 0; i < processes; i++) {
      running.add(launch());
    }
    for (ChildProcess dispatcher : running) {
      PushStage.awaitUp(dispatcher);
    }
    known = group.settled(running.size()).keySet();
  }

  /** Starts one more; returns when it has its share of the partitions. */
  void startOne() throws InterruptedException {
    ChildProcess dispatcher = launch();
    running.add(dispatcher);
    PushStage.awaitUp(dispatcher);
    Set<String> all = group.settled(running.size()).keySet();
    Set<String> own = new HashSet<>(all);
    own.removeAll(known);
    members.put(dispatcher, own);
    known = all;
  }

  List<ChildProcess> running() {
    return List.copyOf(running);
  }

  /** The partitions of a dispatcher started by {@link #startOne}. */
  Set<Integer> partitions(ChildProcess dispatcher) throws InterruptedException {
    Map<String, Set<Integer>> owned = group.settled(running.size());
    Set<Integer> partitions = new HashSet<>();
    members
        .getOrDefault(dispatcher, Set.of())
        .forEach(member -> partitions.addAll(owned.getOrDefault(member, Set.of())));
    return partitions;
  }

  void kill(ChildProcess dispatcher) {
    dispatcher.kill();
    running.remove(dispatcher);
  }

  void terminate(ChildProcess dispatcher) throws InterruptedException {
    dispatcher.terminate();
    running.remove(dispatcher);
  }

  /** Each waits for hanging attempts. */
  @Override
  public void close() {
    running.parallelStream().forEach(ChildProcess::close);
    running.clear();
  }

  private ChildProcess launch() {
    started++;
    return stage.launchDispatcher(name + "." + started, settings);
  }
}
