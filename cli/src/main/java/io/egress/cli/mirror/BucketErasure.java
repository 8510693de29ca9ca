package io.egress.cli.mirror;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/**
 * Deletes copies with all their versions. A copy of which a version cannot be deleted is hidden,
 * and is pending until nothing is left of it.
 */
final class BucketErasure {
  private static final int SENTENCE_MAX = 3;

  private final ObjectStore objects;
  private final BucketAddress address;
  private final boolean hasVersions;

  /** What keeps each, in words; empty if it was not tried yet. */
  private final Map<String, String> pending = new ConcurrentSkipListMap<>();

  BucketErasure(
      ObjectStore objects, BucketAddress address, boolean hasVersions, Collection<String> pending) {
    this.objects = objects;
    this.address = address;
    this.hasVersions = hasVersions;
    pending.forEach(name -> this.pending.put(name, ""));
  }

  void erase(String name) throws IOException {
    String key = address.key(name);
    if (!hasVersions) {
      objects.delete(key);
      pending.remove(name);
      return;
    }
    List<ObjectStore.Version> versions = versions(key);
    List<ObjectStore.Version> texts =
        versions.stream().filter(version -> !version.deletion()).toList();
    String kept = "";
    for (ObjectStore.Version version : texts) {
      kept = deleteOrSayWhyNot(version).orElse(kept);
    }
    if (kept.isEmpty()) {
      for (ObjectStore.Version version : versions) {
        if (version.deletion()) {
          kept = deleteOrSayWhyNot(version).orElse(kept);
        }
      }
    } else if (versions.stream().noneMatch(version -> version.latest() && version.deletion())) {
      objects.delete(key);
    }
    if (kept.isEmpty()) {
      pending.remove(name);
    } else {
      pending.put(name, kept);
    }
  }

  private List<ObjectStore.Version> versions(String key) throws IOException {
    List<ObjectStore.Version> versions = new ArrayList<>();
    objects.versions(
        key,
        version -> {
          if (version.key().equals(key)) {
            versions.add(version);
          }
        });
    return versions;
  }

  private Optional<String> deleteOrSayWhyNot(ObjectStore.Version version) throws IOException {
    String id = requireNonNull(version.id(), "the bucket has versions");
    try {
      objects.deleteVersion(version.key(), id);
      return Optional.empty();
    } catch (ObjectStoreException.Refused refused) {
      String lock = objects.lock(version.key(), id).orElse(refused.reason());
      return Optional.of(
          "version %s of s3://%s/%s: %s".formatted(id, address.bucket(), version.key(), lock));
    }
  }

  /** It was written again, and is what the workspace has. */
  void forget(String name) {
    pending.remove(name);
  }

  boolean isPending(String name) {
    return pending.containsKey(name);
  }

  /** Names of copies of which something is left. */
  Set<String> pending() {
    return new TreeSet<>(pending.keySet());
  }

  Optional<String> remains() {
    List<String> kept = List.copyOf(pending.values());
    if (kept.isEmpty()) {
      return Optional.empty();
    }
    int more = kept.size() - SENTENCE_MAX;
    return Optional.of(
        "Could not erase "
            + kept.stream().limit(SENTENCE_MAX).collect(Collectors.joining("; "))
            + (more > 0 ? "; and %,d more".formatted(more) : "")
            + ". The next run tries again");
  }
}
