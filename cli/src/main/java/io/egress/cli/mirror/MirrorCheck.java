package io.egress.cli.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares a mirror with the inventory of its workspace, without changing anything. A file that is
 * as old as the newest change, give or take a minute for clocks, or that was edited, is compared
 * with the capture itself.
 */
public final class MirrorCheck {
  private static final Duration CLOCKS = Duration.ofMinutes(1);
  private static final int PROGRESS_EVERY = 100;

  /** Some file systems round times of files to whole seconds. */
  private static final Duration ROUNDING_MAX = Duration.ofSeconds(2);

  private final Path root;
  private final CaptureSource source;
  private final MirrorFolder folder;
  private final Consumer<String> lines;
  private int missing;
  private int stale;
  private int superfluous;

  private MirrorCheck(
      Path root, CaptureSource source, MirrorFolder folder, Consumer<String> lines) {
    this.root = root;
    this.source = source;
    this.folder = folder;
    this.lines = lines;
  }

  /**
   * Prints a line for each difference and one at the end.
   *
   * @param format null for the folder's own
   * @param progress gets the number of captures that were compared
   * @return whether there is no difference
   */
  public static boolean run(
      PublicApi api,
      Path root,
      @Nullable MirrorFormat format,
      IntConsumer progress,
      Consumer<String> lines) {
    return run((CaptureSource) api, root, format, progress, lines);
  }

  static boolean run(
      CaptureSource source,
      Path root,
      @Nullable MirrorFormat format,
      IntConsumer progress,
      Consumer<String> lines) {
    try {
      MirrorFolder folder = MirrorFolder.look(root, format);
      folder.requireWorkspaceOf(source);
      return new MirrorCheck(root, source, folder, lines).compare(progress);
    } catch (IOException failure) {
      throw MirrorException.unusable(root, failure);
    }
  }

  private boolean compare(IntConsumer progress) throws IOException {
    Map<UUID, Optional<Instant>> present = source.inventory();
    CaptureIndex index = folder.index();
    int compared = 0;
    for (Map.Entry<UUID, Optional<Instant>> capture : present.entrySet()) {
      compare(capture.getKey(), capture.getValue().orElse(Instant.MIN));
      if (++compared % PROGRESS_EVERY == 0) {
        progress.accept(compared);
      }
    }
    for (UUID id : index.ids()) {
      if (!present.containsKey(id)) {
        index.days(id).forEach(day -> superfluous(index.file(id, day)));
      }
    }
    index.others().forEach(this::superfluous);
    lines.accept(
        String.format(
            Locale.ROOT,
            "%,d missing, %,d stale, %,d superfluous; the workspace has %,d %s",
            missing,
            stale,
            superfluous,
            present.size(),
            present.size() == 1 ? "capture" : "captures"));
    return missing + stale + superfluous == 0;
  }

  private void compare(UUID id, Instant changedAt) throws IOException {
    List<LocalDate> days = folder.index().days(id);
    if (days.isEmpty()) {
      missing++;
      lines.accept("missing      " + id);
      return;
    }
    for (LocalDate day : days) {
      Path file = folder.index().file(id, day);
      if (days.size() > 1 || !isCurrent(id, day, file, changedAt)) {
        stale++;
        lines.accept("stale        " + root.relativize(file));
      }
    }
  }

  private boolean isCurrent(UUID id, LocalDate day, Path file, Instant changedAt)
      throws IOException {
    byte[] content;
    Instant modified;
    MirrorFormat.Copy copy;
    try {
      content = Files.readAllBytes(file);
      modified = Files.getLastModifiedTime(file).toInstant();
      copy = folder.state().format().describe(content);
    } catch (IOException movedOrDamaged) {
      return false;
    }
    if (!copy.id().equals(id) || !copy.day().equals(day)) {
      return false;
    }
    Instant emittedAt = copy.emittedAt();
    if (changedAt.isAfter(emittedAt.plus(CLOCKS))) {
      return false;
    }
    return (isAsWritten(modified, emittedAt) && changedAt.isBefore(emittedAt.minus(CLOCKS)))
        || saysTheSame(id, content);
  }

  /** A mirror's files are as old as their documents. */
  private static boolean isAsWritten(Instant modified, Instant emittedAt) {
    Duration difference = Duration.between(modified, emittedAt).abs();
    boolean isRounded =
        modified.equals(modified.truncatedTo(ChronoUnit.SECONDS))
            && difference.compareTo(ROUNDING_MAX) <= 0;
    return isRounded || difference.toMillis() == 0;
  }

  private boolean saysTheSame(UUID id, byte[] content) {
    MirrorFormat format = folder.state().format();
    return source
        .capture(id)
        .map(capture -> format.sayTheSame(format.render(capture), content))
        .orElse(true);
  }

  private void superfluous(Path file) {
    superfluous++;
    lines.accept("superfluous  " + root.relativize(file));
  }
}
