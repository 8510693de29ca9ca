package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which copies a bucket has, by the names of its objects. Several threads may change different
 * captures. Names of which a part begins with a dot are not looked at.
 */
final class BucketIndex {
  private static final Pattern NAME =
      Pattern.compile("(\\d{4}/\\d{2}/\\d{2})/([0-9a-f-]{36})\\.(\\d{1,18})\\.([a-z]+)");

  /**
   * A copy of a capture.
   *
   * @param writer the number of the run that wrote it
   * @param readable false if it is deleted, and the bucket keeps former versions
   */
  record Copy(LocalDate day, long writer, boolean readable) {
    boolean isAt(Copy other) {
      return day.equals(other.day) && writer == other.writer;
    }
  }

  private final String extension;
  private final Map<UUID, List<Copy>> copies = new ConcurrentHashMap<>();
  private final AtomicInteger readable = new AtomicInteger();

  /** Most days have many captures. */
  private final Map<String, LocalDate> days = new HashMap<>();

  private final Set<String> late = new TreeSet<>();
  private final Set<String> others = new TreeSet<>();

  private BucketIndex(MirrorFormat format) {
    extension = format.extension();
  }

  static BucketIndex read(
      ObjectStore objects, BucketAddress address, BucketManifest manifest, boolean hasVersions)
      throws IOException {
    BucketIndex index = new BucketIndex(manifest.mirror().format());
    if (hasVersions) {
      Keys keys = new Keys(index, address, manifest);
      objects.versions(address.prefix(), keys::add);
      keys.end();
    } else {
      objects.objects(
          address.prefix(),
          object -> index.add(address.name(object.key()), object.lastModified(), true, manifest));
    }
    return index;
  }

  /** Joins the versions of a key. */
  private static final class Keys {
    private final BucketIndex index;
    private final BucketAddress address;
    private final BucketManifest manifest;
    private @Nullable String key;
    private Instant written = Instant.MIN;
    private boolean readable;

    Keys(BucketIndex index, BucketAddress address, BucketManifest manifest) {
      this.index = index;
      this.address = address;
      this.manifest = manifest;
    }

    void add(ObjectStore.Version version) {
      if (!version.key().equals(key)) {
        end();
        key = version.key();
        written = Instant.MIN;
        readable = false;
      }
      readable |= version.latest() && !version.deletion();
      if (!version.deletion() && version.lastModified().isAfter(written)) {
        written = version.lastModified();
      }
    }

    void end() {
      if (key != null) {
        index.add(address.name(key), written, readable, manifest);
      }
    }
  }

  private void add(String name, Instant written, boolean readable, BucketManifest manifest) {
    if (name.startsWith(".") || name.contains("/.")) {
      return;
    }
    Matcher parts = NAME.matcher(name);
    Optional<LocalDate> day = parts.matches() ? day(parts.group(1)) : Optional.empty();
    Optional<UUID> id = day.flatMap(_ -> id(parts.group(2)));
    long writer = id.isPresent() ? Long.parseLong(parts.group(3)) : 0;
    if (id.isEmpty() || writer > manifest.writer() || !parts.group(4).equals(extension)) {
      if (readable) {
        others.add(name);
      }
    } else if (manifest.isLate(writer, written)) {
      late.add(name);
    } else {
      add(id.get(), new Copy(day.get(), writer, readable));
    }
  }

  private Optional<LocalDate> day(String folders) {
    try {
      return Optional.of(
          days.computeIfAbsent(folders, name -> LocalDate.parse(name.replace('/', '-'))));
    } catch (DateTimeException notOne) {
      return Optional.empty();
    }
  }

  private static Optional<UUID> id(String text) {
    try {
      return Optional.of(CaptureDocument.id(text)).filter(id -> id.toString().equals(text));
    } catch (IOException notOne) {
      return Optional.empty();
    }
  }

  /** Of a copy, within the prefix. */
  String name(UUID id, Copy copy) {
    LocalDate day = copy.day();
    return String.format(
        Locale.ROOT,
        "%04d/%02d/%02d/%s.%d.%s",
        day.getYear(),
        day.getMonthValue(),
        day.getDayOfMonth(),
        id,
        copy.writer(),
        extension);
  }

  List<Copy> copies(UUID id) {
    return copies.getOrDefault(id, List.of());
  }

  void add(UUID id, Copy copy) {
    change(
        id,
        all -> {
          boolean isReadable =
              copy.readable() || all.stream().anyMatch(one -> one.isAt(copy) && one.readable());
          List<Copy> more = new ArrayList<>(all);
          more.removeIf(copy::isAt);
          more.add(new Copy(copy.day(), copy.writer(), isReadable));
          return List.copyOf(more);
        });
  }

  /** It has {@code copy} alone. */
  void set(UUID id, Copy copy) {
    change(id, _ -> List.of(copy));
  }

  void remove(UUID id) {
    change(id, _ -> List.of());
  }

  private void change(UUID id, UnaryOperator<List<Copy>> change) {
    copies.compute(
        id,
        (_, known) -> {
          List<Copy> before = known == null ? List.of() : known;
          List<Copy> after = change.apply(before);
          readable.addAndGet((isReadable(after) ? 1 : 0) - (isReadable(before) ? 1 : 0));
          return after.isEmpty() ? null : after;
        });
  }

  static boolean isReadable(List<Copy> copies) {
    return copies.stream().anyMatch(Copy::readable);
  }

  List<UUID> ids() {
    return new ArrayList<>(copies.keySet());
  }

  /** The number of captures that can be read. */
  int size() {
    return readable.get();
  }

  /** Names of copies that were written when their run no longer was the mirror's. */
  Set<String> late() {
    return late;
  }

  /** Names of objects that are no captures. */
  Set<String> others() {
    return others;
  }
}
