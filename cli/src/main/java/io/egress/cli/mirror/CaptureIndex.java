package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which captures a folder has, and under which days: two if it was stopped while it moved one.
 * Names that begin with a dot are not looked at.
 */
final class CaptureIndex {
  private static final Pattern FOLDERS = Pattern.compile("\\d{4}(/\\d{2}(/\\d{2})?)?");
  private static final int DAY_DEPTH = 3;

  private final Path root;
  private final String extension;
  private final Map<UUID, LocalDate> days = new HashMap<>();
  private final Map<UUID, Set<LocalDate>> otherDays = new HashMap<>();
  private final Set<Path> emptyFolders = new HashSet<>();
  private final Set<Path> others = new TreeSet<>();

  private CaptureIndex(Path root, MirrorFormat format) {
    this.root = root;
    this.extension = "." + format.extension();
  }

  static CaptureIndex read(Path root, MirrorFormat format) throws IOException {
    CaptureIndex index = new CaptureIndex(root, format);
    index.readFolder(root);
    return index;
  }

  private void readFolder(Path folder) throws IOException {
    List<Path> entries;
    try (Stream<Path> listed = Files.list(folder)) {
      entries = listed.toList();
    } catch (NoSuchFileException emptied) {
      return;
    }
    if (entries.isEmpty() && isDated(folder)) {
      emptyFolders.add(folder);
    }
    Optional<LocalDate> day = day(folder);
    for (Path entry : entries) {
      String name = entry.getFileName().toString();
      if (name.startsWith(".")) {
        continue;
      }
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        readFolder(entry);
        continue;
      }
      Optional<UUID> id = day.flatMap(_ -> id(name));
      if (id.isPresent()) {
        add(id.get(), day.get());
      } else {
        others.add(entry);
      }
    }
  }

  private String name(Path folder) {
    return root.relativize(folder).toString().replace('\\', '/');
  }

  private boolean isDated(Path folder) {
    return FOLDERS.matcher(name(folder)).matches();
  }

  private Optional<LocalDate> day(Path folder) {
    if (!isDated(folder) || root.relativize(folder).getNameCount() != DAY_DEPTH) {
      return Optional.empty();
    }
    try {
      return Optional.of(LocalDate.parse(name(folder).replace('/', '-')));
    } catch (DateTimeException notOne) {
      return Optional.empty();
    }
  }

  private Optional<UUID> id(String name) {
    if (!name.endsWith(extension)) {
      return Optional.empty();
    }
    String stem = name.substring(0, name.length() - extension.length());
    try {
      return Optional.of(CaptureDocument.id(stem)).filter(id -> id.toString().equals(stem));
    } catch (IOException notOne) {
      return Optional.empty();
    }
  }

  /** Of a capture that is under {@code day}. */
  Path file(UUID id, LocalDate day) {
    return folder(day).resolve(id + extension);
  }

  Path folder(LocalDate day) {
    return root.resolve(String.format(Locale.ROOT, "%04d", day.getYear()))
        .resolve(String.format(Locale.ROOT, "%02d", day.getMonthValue()))
        .resolve(String.format(Locale.ROOT, "%02d", day.getDayOfMonth()));
  }

  void add(UUID id, LocalDate day) {
    LocalDate known = days.putIfAbsent(id, day);
    if (known != null && !known.equals(day)) {
      otherDays.computeIfAbsent(id, _ -> new HashSet<>()).add(day);
    }
  }

  /** It is under {@code day} alone. */
  void set(UUID id, LocalDate day) {
    days.put(id, day);
    otherDays.remove(id);
  }

  void remove(UUID id) {
    days.remove(id);
    otherDays.remove(id);
  }

  List<LocalDate> days(UUID id) {
    LocalDate day = days.get(id);
    if (day == null) {
      return List.of();
    }
    List<LocalDate> all = new ArrayList<>(List.of(day));
    all.addAll(otherDays.getOrDefault(id, Set.of()));
    return all;
  }

  /** As of now. */
  List<UUID> ids() {
    return new ArrayList<>(days.keySet());
  }

  int size() {
    return days.size();
  }

  /** Folders of a year, a month or a day. */
  Set<Path> emptyFolders() {
    return emptyFolders;
  }

  /** Files that are no captures. */
  Set<Path> others() {
    return others;
  }
}
