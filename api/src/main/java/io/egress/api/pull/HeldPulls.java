package io.egress.api.pull;

import io.egress.platform.http.Refusal;
import io.egress.transcript.stream.Feed;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The requests that are held until their feed grows. A request that is woken looks for itself: what
 * wakes it may be mistaken. Thread-safe.
 */
final class HeldPulls {
  /** One workspace leaves room for nine others like it. */
  private static final int WORKSPACES_IN_A_FULL_HOUSE = 10;

  /** How the holding of a request ended. */
  enum End {
    /** There may be a page, or its key may have been deleted. */
    LOOK_AGAIN,
    /** The answer is the empty page. */
    OVER
  }

  /** A request whose page was empty: its feed ended at {@code position}. */
  final class Held {
    private final UUID keyId;
    private final UUID workspaceId;
    private final Feed feed;
    private final long position;
    private final Context context = vertx.getOrCreateContext();
    private final Promise<End> ended = Promise.promise();
    private long timer;

    private Held(UUID keyId, UUID workspaceId, Feed feed, long position) {
      this.keyId = keyId;
      this.workspaceId = workspaceId;
      this.feed = feed;
      this.position = position;
    }

    UUID keyId() {
      return keyId;
    }

    /** Completes on the context of the request. */
    Future<End> ended() {
      return ended.future();
    }

    /** Does nothing if it has ended. */
    void end(End how) {
      if (remove(this)) {
        context.runOnContext(_ -> {
          vertx.cancelTimer(timer);
          ended.complete(how);
        });
      }
    }
  }

  private final Vertx vertx;
  private final int max;
  private final int ofWorkspaceMax;
  private final Map<UUID, Set<Held>> byWorkspace = new HashMap<>();
  private final Map<UUID, Set<Held>> byKey = new HashMap<>();
  private int count;
  private boolean closed;

  HeldPulls(Vertx vertx, int max) {
    this.vertx = vertx;
    this.max = max;
    this.ofWorkspaceMax = Math.max(1, max / WORKSPACES_IN_A_FULL_HOUSE);
  }

  /** Call on the context of the request. Throws {@link Refusal} if there is no room. */
  Held hold(UUID keyId, UUID workspaceId, Feed feed, long position, Duration timeMax) {
    Held held = new Held(keyId, workspaceId, feed, position);
    held.timer = vertx.setTimer(Math.max(1, timeMax.toMillis()), _ -> held.end(End.OVER));
    try {
      if (!add(held)) {
        vertx.cancelTimer(held.timer);
        held.ended.complete(End.OVER);
      }
    } catch (Refusal full) {
      vertx.cancelTimer(held.timer);
      throw full;
    }
    return held;
  }

  private synchronized boolean add(Held held) {
    if (closed) {
      return false;
    }
    Set<Held> ofWorkspace = byWorkspace.getOrDefault(held.workspaceId, Set.of());
    if (ofWorkspace.size() >= ofWorkspaceMax) {
      throw new Refusal(
          429,
          "this workspace already has " + ofWorkspaceMax + " requests that wait, try again later");
    }
    if (count >= max) {
      throw new Refusal(503, "too many requests wait, try again later");
    }
    byKey.computeIfAbsent(held.keyId, _ -> new LinkedHashSet<>()).add(held);
    byWorkspace.computeIfAbsent(held.workspaceId, _ -> new LinkedHashSet<>()).add(held);
    count++;
    return true;
  }

  private synchronized boolean remove(Held held) {
    if (!removeFrom(byKey, held.keyId, held)) {
      return false;
    }
    removeFrom(byWorkspace, held.workspaceId, held);
    count--;
    return true;
  }

  private static boolean removeFrom(Map<UUID, Set<Held>> sets, UUID key, Held held) {
    Set<Held> set = sets.get(key);
    if (set == null || !set.remove(held)) {
      return false;
    }
    if (set.isEmpty()) {
      sets.remove(key);
    }
    return true;
  }

  /** A feed of a workspace has grown to {@code head}. */
  void grown(Feed feed, UUID workspaceId, long head) {
    wake(byWorkspace, workspaceId, held -> held.feed == feed && held.position < head);
  }

  void keyEnded(UUID keyId) {
    wake(byKey, keyId, _ -> true);
  }

  private void wake(Map<UUID, Set<Held>> sets, UUID key, Predicate<Held> concerned) {
    List<Held> woken;
    synchronized (this) {
      woken = sets.getOrDefault(key, Set.of()).stream().filter(concerned).toList();
    }
    woken.forEach(held -> held.end(End.LOOK_AGAIN));
  }

  /** The keys of all that are held. */
  synchronized Collection<UUID> keys() {
    return List.copyOf(byKey.keySet());
  }

  synchronized int count() {
    return count;
  }

  /** Ends all of them, and from now on holds none. */
  void close() {
    List<Held> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      byKey.values().forEach(all::addAll);
    }
    all.forEach(held -> held.end(End.OVER));
  }
}
