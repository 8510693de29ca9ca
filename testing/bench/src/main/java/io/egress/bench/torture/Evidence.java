package io.egress.bench.torture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Everything observed from outside, for the checker. Times are in nanoseconds. */
final class Evidence {
  /** A webhook that reached its receiver. */
  record Arrival(UUID deliveryId, long nanos, boolean accepted) {}

  /** A capture owed to one endpoint. */
  record Sent(String endpoint, UUID captureId) {}

  /** From the start of a fault until the service had recovered. */
  record Disturbance(String fault, long fromNanos, long toNanos) {}

  private final Map<UUID, Acknowledged> acknowledged = new ConcurrentHashMap<>();
  private final Map<Sent, List<Arrival>> arrivals = new ConcurrentHashMap<>();
  private final Map<UUID, Erased> erased = new ConcurrentHashMap<>();
  private final Set<Sent> notified = ConcurrentHashMap.newKeySet();
  private final Queue<UUID> ended = new ConcurrentLinkedQueue<>();
  private final Map<String, Long> longestNanos = new ConcurrentHashMap<>();
  private final List<Disturbance> disturbances = new ArrayList<>();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();

  /** How long a client waited for the answer that it wanted, repetitions included. */
  void waited(String call, long nanos) {
    longestNanos.merge(call, nanos, Math::max);
  }

  /** The longest wait since this was called last, in seconds. */
  double longestWait(String call) {
    Long nanos = longestNanos.remove(call);
    return nanos == null ? 0 : nanos / 1e9;
  }

  /** A capture that the hook acknowledged. */
  record Acknowledged(UUID workspaceId, long nanos) {}

  void acknowledged(UUID captureId, UUID workspaceId) {
    acknowledged.putIfAbsent(captureId, new Acknowledged(workspaceId, System.nanoTime()));
  }

  Map<UUID, Acknowledged> acknowledged() {
    return acknowledged;
  }

  /** A capture whose erasure was requested. {@code doneNanos} is 0 until the call has returned. */
  record Erased(long askedNanos, long doneNanos) {}

  void erasing(UUID captureId) {
    erased.putIfAbsent(captureId, new Erased(System.nanoTime(), 0));
  }

  void erased(UUID captureId) {
    erased.computeIfPresent(
        captureId, (_, asked) -> new Erased(asked.askedNanos(), System.nanoTime()));
  }

  /** Includes those that are about to be. */
  Map<UUID, Erased> erased() {
    return erased;
  }

  /** Whether no page that is requested from now on may have it. */
  boolean wasErased(UUID captureId) {
    Erased erasure = erased.get(captureId);
    return erasure != null && erasure.doneNanos() != 0;
  }

  /** An endpoint got capture.erased. */
  void notified(String endpoint, UUID captureId) {
    if (!erased.containsKey(captureId)) {
      violation(
          "%s was notified that %s was erased, which it was not".formatted(endpoint, captureId));
    }
    notified.add(new Sent(endpoint, captureId));
  }

  boolean wasNotified(String endpoint, UUID captureId) {
    return notified.contains(new Sent(endpoint, captureId));
  }

  void arrived(String endpoint, UUID captureId, UUID deliveryId, boolean accepted) {
    List<Arrival> those =
        arrivals.computeIfAbsent(new Sent(endpoint, captureId), _ -> new ArrayList<>());
    synchronized (those) {
      those.add(new Arrival(deliveryId, System.nanoTime(), accepted));
    }
  }

  boolean wasAccepted(String endpoint, UUID captureId) {
    return arrivals(endpoint, captureId).stream().anyMatch(Arrival::accepted);
  }

  List<Arrival> arrivals(String endpoint, UUID captureId) {
    List<Arrival> those = arrivals.getOrDefault(new Sent(endpoint, captureId), List.of());
    synchronized (those) {
      return List.copyOf(those);
    }
  }

  Collection<Sent> sent() {
    return arrivals.keySet();
  }

  /** Nothing of this workspace may be left. */
  void ended(UUID workspaceId) {
    ended.add(workspaceId);
  }

  Queue<UUID> ended() {
    return ended;
  }

  void disturbed(Disturbance disturbance) {
    disturbances.add(disturbance);
  }

  List<Disturbance> disturbances() {
    return disturbances;
  }

  /** A broken guarantee. */
  void violation(String what) {
    violations.add(what);
  }

  Queue<String> violations() {
    return violations;
  }
}
