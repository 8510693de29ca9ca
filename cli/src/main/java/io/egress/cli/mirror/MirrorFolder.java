package io.egress.cli.mirror;

import static java.util.Objects.requireNonNull;

import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a mirror. A file is written beside the captures and moved to its place, so a
 * capture is there as a whole or not at all. {@link #save} makes the state durable after everything
 * that was done before, so a mirror that is stopped at any moment does again what the state does
 * not cover. All of it may be repeated.
 */
final class MirrorFolder implements MirrorStore {
  private static final String SCRATCH = ".egress-mirror.tmp";
  private static final String LOCK = "lock";

  /** Some file systems round times of files to whole seconds. */
  private static final Duration ROUNDING_MAX = Duration.ofSeconds(2);

  private final Path root;
  private final FileOperations files;
  private final Path scratch;
  private final CaptureIndex index;
  private final Tally tally = new Tally();
  private final Set<Path> unforced = new HashSet<>();
  private final @Nullable FolderLock lock;
  private MirrorState state;

  private MirrorFolder(
      Path root, FileOperations files, MirrorState state, @Nullable FolderLock lock)
      throws IOException {
    this.root = root;
    this.files = files;
    this.state = state;
    this.lock = lock;
    this.scratch = root.resolve(SCRATCH);
    this.index = CaptureIndex.read(root, state.format());
  }

  /**
   * Prepares a folder to be written to: it must be a mirror of this format, or empty.
   *
   * @param format null for the folder's own, which is JSON for a new one
   */
  static MirrorFolder open(Path root, @Nullable MirrorFormat format, FileOperations files)
      throws IOException {
    if (MirrorState.read(root, format).isEmpty()) {
      requireNothingElse(root);
    }
    Files.createDirectories(root, DurableFiles.FOLDER);
    files.createFolder(root.resolve(SCRATCH));
    FolderLock lock = FolderLock.take(root, root.resolve(SCRATCH).resolve(LOCK));
    try {
      // Again, because another run may have ended in between.
      Optional<MirrorState> stored = MirrorState.read(root, format);
      MirrorState state =
          stored.orElseGet(() -> MirrorState.initial(format == null ? MirrorFormat.JSON : format));
      MirrorFolder folder = new MirrorFolder(root, files, state, lock);
      folder.cleanUp();
      if (stored.isEmpty()) {
        folder.save(state);
      }
      return folder;
    } catch (Throwable failure) {
      lock.close();
      throw failure;
    }
  }

  /** For a look that changes nothing. */
  static MirrorFolder look(Path root, @Nullable MirrorFormat format) throws IOException {
    MirrorState state =
        MirrorState.read(root, format)
            .orElseThrow(() ->
                new MirrorException(
                    "%s is not a mirror: it has no %s".formatted(root, MirrorState.FILE)));
    return new MirrorFolder(root, FileOperations.REAL, state, null);
  }

  private static void requireNothingElse(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> entries = Files.list(root)) {
      Optional<Path> other =
          entries.filter(entry -> !entry.getFileName().toString().equals(SCRATCH)).findFirst();
      if (other.isPresent()) {
        throw new MirrorException(
            "%s is not a mirror and not empty: it has %s; choose another folder"
                .formatted(root, other.get().getFileName()));
      }
    }
  }

  /** Removes what an earlier run left when it was stopped. */
  private void cleanUp() throws IOException {
    List<Path> left;
    try (Stream<Path> entries = Files.list(scratch)) {
      left = entries.filter(entry -> !entry.getFileName().toString().equals(LOCK)).toList();
    }
    for (Path file : left) {
      files.delete(file);
    }
    for (Path empty : index.emptyFolders()) {
      deleteEmpty(empty);
    }
  }

  @Override
  public String name() {
    return root.toString();
  }

  @Override
  public String kind() {
    return "folder";
  }

  @Override
  public MirrorState state() {
    return state;
  }

  @Override
  public Tally tally() {
    return tally;
  }

  @Override
  public List<UUID> ids() {
    return index.ids();
  }

  @Override
  public int size() {
    return index.size();
  }

  @Override
  public List<Place> places(UUID id) {
    return index.days(id).stream()
        .map(day -> new Place(root.relativize(index.file(id, day)).toString(), day, true))
        .toList();
  }

  @Override
  public Collection<String> others() {
    return index.others().stream().map(file -> root.relativize(file).toString()).toList();
  }

  @Override
  public Content read(Place place) throws IOException {
    Path file = root.resolve(place.name());
    byte[] content = Files.readAllBytes(file);
    Instant modified = Files.getLastModifiedTime(file).toInstant();
    return new Content(
        Buffer.buffer(content), isAsOld(modified, state.format().describe(content).emittedAt()));
  }

  /** A mirror's files are as old as their documents. */
  private static boolean isAsOld(Instant modified, Instant emittedAt) {
    Duration difference = Duration.between(modified, emittedAt).abs();
    boolean isRounded =
        modified.equals(modified.truncatedTo(ChronoUnit.SECONDS))
            && difference.compareTo(ROUNDING_MAX) <= 0;
    return isRounded || difference.toMillis() == 0;
  }

  @Override
  public int readers() {
    return 1;
  }

  @Override
  public void apply(List<Page.Entry> entries) throws IOException {
    for (Page.Entry entry : entries) {
      CaptureDocument document = entry.document();
      if (document == null) {
        delete(entry.id());
      } else {
        put(document);
      }
    }
  }

  /** Writes a capture, in the folder of its day alone. */
  private void put(CaptureDocument document) throws IOException {
    UUID id = document.id();
    LocalDate day = document.day();
    List<LocalDate> before = index.days(id);
    byte[] content = state.format().render(document);
    boolean same = before.equals(List.of(day)) && has(index.file(id, day), content);
    Path file = index.file(id, day);
    createFolders(parent(file));
    replace(file, content, document.emittedAt());
    index.add(id, day);
    for (LocalDate other : before) {
      if (!other.equals(day)) {
        deleteFile(index.file(id, other));
      }
    }
    index.set(id, day);
    tally.put(before.isEmpty(), same);
  }

  private boolean has(Path file, byte[] content) throws IOException {
    return Files.exists(file) && state.format().sayTheSame(Files.readAllBytes(file), content);
  }

  @Override
  public void delete(Collection<UUID> ids) throws IOException {
    for (UUID id : ids) {
      delete(id);
    }
  }

  /** Deletes a capture if there is one, and the folders that it leaves empty. */
  private void delete(UUID id) throws IOException {
    List<LocalDate> days = index.days(id);
    for (LocalDate day : days) {
      deleteFile(index.file(id, day));
    }
    index.remove(id);
    if (!days.isEmpty()) {
      tally.deleted();
    }
  }

  @Override
  public void save(MirrorState next) throws IOException {
    for (Path folder : unforced) {
      files.force(folder);
    }
    unforced.clear();
    replace(root.resolve(MirrorState.FILE), next.encode(), Instant.now());
    files.force(root);
    unforced.clear();
    state = next;
  }

  @Override
  public void tidyUp() {}

  @Override
  public Optional<String> remains() {
    return Optional.empty();
  }

  private void replace(Path file, byte[] content, Instant modified) throws IOException {
    Path draft = scratch.resolve(file.getFileName().toString());
    try {
      files.write(draft, content, modified);
    } catch (IOException failure) {
      deleteDraft(draft, failure);
      throw failure;
    }
    files.move(draft, file);
    unforced.add(parent(file));
  }

  /** A full disk gets back what the draft took of it. */
  private static void deleteDraft(Path draft, IOException failure) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException again) {
      failure.addSuppressed(again);
    }
  }

  private void createFolders(Path folder) throws IOException {
    if (!folder.equals(root) && !Files.isDirectory(folder)) {
      createFolders(parent(folder));
      files.createFolder(folder);
      unforced.add(parent(folder));
    }
  }

  private void deleteFile(Path file) throws IOException {
    files.delete(file);
    deleteEmpty(parent(file));
  }

  private void deleteEmpty(Path folder) throws IOException {
    Path left = folder;
    while (!left.equals(root) && files.deleteFolder(left)) {
      unforced.remove(left);
      left = parent(left);
    }
    unforced.add(left);
  }

  private static Path parent(Path below) {
    return requireNonNull(below.getParent(), "every path is below the root");
  }

  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
  }
}
