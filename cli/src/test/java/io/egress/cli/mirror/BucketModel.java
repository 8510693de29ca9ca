package io.egress.cli.mirror;

import static java.util.Objects.requireNonNull;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bucket in memory. What it does is what the acceptance test of buckets finds real servers to do.
 */
final class BucketModel {
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A version; without content, what hides those before it. */
  record Stored(String id, @Nullable Buffer content, Instant modified, boolean asWritten) {
    boolean isText() {
      return content != null;
    }

    Buffer text() {
      return requireNonNull(content);
    }
  }

  private final boolean hasVersions;

  /** The newest comes last. */
  private final NavigableMap<String, List<Stored>> objects = new TreeMap<>();

  private final Map<String, String> locks = new HashMap<>();
  private Instant now = Instant.parse("2026-11-29T12:00:00Z");
  private int versions;
  private boolean ignoresConditions;

  BucketModel(boolean hasVersions) {
    this.hasVersions = hasVersions;
  }

  void ignoreConditions() {
    ignoresConditions = true;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  /** All versions of all objects, by key. */
  synchronized Map<String, List<Stored>> all() {
    return new TreeMap<>(objects);
  }

  /** What can be read, by key. */
  synchronized Map<String, String> readable() {
    Map<String, String> texts = new TreeMap<>();
    objects.forEach((key, all) -> {
      if (all.getLast().isText()) {
        texts.put(key, all.getLast().text().toString());
      }
    });
    return texts;
  }

  /** As somebody else would. */
  synchronized void write(String key, String text) {
    store(key, Buffer.buffer(text), false);
  }

  synchronized void hide(String key) {
    remove(key);
  }

  /** Keeps all versions that {@code key} has now. */
  synchronized void lock(String key, String reason) {
    requireNonNull(objects.get(key)).forEach(version -> locks.put(version.id(), reason));
  }

  synchronized void unlock() {
    locks.clear();
  }

  private void store(String key, @Nullable Buffer content, boolean asWritten) {
    List<Stored> all = objects.computeIfAbsent(key, _ -> new ArrayList<>());
    if (!hasVersions) {
      all.clear();
    }
    all.add(new Stored("v" + ++versions, content, now, asWritten));
  }

  private void remove(String key) {
    if (hasVersions) {
      store(key, null, false);
    } else {
      objects.remove(key);
    }
  }

  private @Nullable Stored latest(String key) {
    List<Stored> all = objects.get(key);
    return all == null || !all.getLast().isText() ? null : all.getLast();
  }

  /** For the runs that are not disturbed. */
  ObjectStore connect() {
    return new Session(Integer.MAX_VALUE, () -> {});
  }

  /**
   * A client that sends {@code requests}, and with the next does what {@code disturbance} says: it
   * throws {@link Killed}, or lets something else happen first. The request may have been carried
   * out nevertheless.
   */
  ObjectStore connect(int requests, Runnable disturbance) {
    return new Session(requests, disturbance);
  }

  private final class Session implements ObjectStore {
    private final Runnable disturbance;
    private int left;
    private boolean killed;

    Session(int requests, Runnable disturbance) {
      this.left = requests;
      this.disturbance = disturbance;
    }

    private interface Request<T> {
      T carryOut() throws IOException;
    }

    private synchronized <T> T send(Request<T> request) throws IOException {
      if (killed) {
        throw new Killed();
      }
      if (left-- == 0) {
        try {
          disturbance.run();
        } catch (Killed killedNow) {
          killed = true;
          if (versions % 2 == 0) {
            synchronized (BucketModel.this) {
              request.carryOut();
            }
          }
          throw killedNow;
        }
      }
      synchronized (BucketModel.this) {
        pass(Duration.ofMillis(200));
        return request.carryOut();
      }
    }

    @Override
    public boolean hasVersions() throws IOException {
      return send(() -> hasVersions);
    }

    @Override
    public void versions(String prefix, Consumer<Version> each) throws IOException {
      List<Version> found =
          send(() -> {
            List<Version> all = new ArrayList<>();
            objects.forEach((key, stored) -> {
              for (Stored one : key.startsWith(prefix) ? stored : List.<Stored>of()) {
                all.add(version(key, one, one.equals(stored.getLast())));
              }
            });
            return all;
          });
      found.forEach(each);
    }

    private Version version(String key, Stored one, boolean latest) {
      return new Version(
          key, hasVersions ? one.id() : null, seconds(one.modified()), latest, !one.isText());
    }

    @Override
    public List<Version> someObjects(String prefix) throws IOException {
      List<Version> some = new ArrayList<>();
      objects(prefix, some::add);
      return some.subList(0, Math.min(some.size(), 2));
    }

    @Override
    public void objects(String prefix, Consumer<Version> each) throws IOException {
      List<Version> found =
          send(() ->
              objects.entrySet().stream()
                  .filter(entry -> entry.getKey().startsWith(prefix))
                  .filter(entry -> entry.getValue().getLast().isText())
                  .map(entry -> version(entry.getKey(), entry.getValue().getLast(), true))
                  .toList());
      found.forEach(each);
    }

    @Override
    public Optional<Content> get(String key) throws IOException {
      return send(() ->
          Optional.ofNullable(latest(key))
              .map(one ->
                  new Content(one.text(), one.id(), seconds(one.modified()), one.asWritten())));
    }

    @Override
    public void put(String key, byte[] content, String type) throws IOException {
      send(() -> {
        store(key, Buffer.buffer(content), true);
        return true;
      });
    }

    @Override
    public String replace(String key, byte[] content, String type, @Nullable String etag)
        throws IOException {
      return send(() -> {
        Stored latest = latest(key);
        boolean asExpected = latest == null ? etag == null : latest.id().equals(etag);
        if (!asExpected && !ignoresConditions) {
          throw new ObjectStoreException.ConditionFailed(null);
        }
        store(key, Buffer.buffer(content), true);
        return requireNonNull(latest(key)).id();
      });
    }

    @Override
    public void delete(String key) throws IOException {
      send(() -> {
        remove(key);
        return true;
      });
    }

    @Override
    public void deleteVersion(String key, String id) throws IOException {
      send(() -> {
        if (locks.containsKey(id)) {
          throw new ObjectStoreException.Refused("access denied", null);
        }
        List<Stored> all = objects.getOrDefault(key, new ArrayList<>());
        all.removeIf(version -> version.id().equals(id));
        if (all.isEmpty()) {
          objects.remove(key);
        }
        return true;
      });
    }

    @Override
    public Optional<String> lock(String key, String id) throws IOException {
      return send(() -> Optional.ofNullable(locks.get(id)));
    }

    @Override
    public void close() {}
  }

  private static Instant seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }
}
