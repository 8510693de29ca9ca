package io.egress.cli.mirror;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

  private final CaptureSource source;
  private final Copies copies;
  private final Consumer<String> lines;
  private int missing;
  private int stale;
  private int superfluous;

  private MirrorCheck(CaptureSource source, Copies copies, Consumer<String> lines) {
    this.source = source;
    this.copies = copies;
    this.lines = lines;
  }

  /**
   * Prints a line for each difference and one at the end.
   *
   * @param format null for the mirror's own
   * @param progress gets the number of captures that were compared
   * @return whether there is no difference
   */
  public static boolean run(
      PublicApi api,
      MirrorLocation location,
      @Nullable MirrorFormat format,
      IntConsumer progress,
      Consumer<String> lines) {
    return run((CaptureSource) api, location, format, progress, lines);
  }

  static boolean run(
      CaptureSource source,
      MirrorLocation location,
      @Nullable MirrorFormat format,
      IntConsumer progress,
      Consumer<String> lines) {
    try (Copies copies = location.look(format)) {
      SameWorkspace.require(source, copies);
      return new MirrorCheck(source, copies, lines).compare(progress);
    } catch (IOException failure) {
      throw MirrorException.unusable(location.name(), failure);
    }
  }

  private boolean compare(IntConsumer progress) throws IOException {
    Map<UUID, Optional<Instant>> present = source.inventory();
    compareAll(present, progress);
    for (UUID id : copies.ids()) {
      if (!present.containsKey(id)) {
        copies.places(id).forEach(place -> superfluous(place.name()));
      }
    }
    copies.others().forEach(this::superfluous);
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

  private void compareAll(Map<UUID, Optional<Instant>> present, IntConsumer progress)
      throws IOException {
    List<UUID> ids = List.copyOf(present.keySet());
    for (int from = 0; from < ids.size(); from += PROGRESS_EVERY) {
      List<UUID> some = ids.subList(from, Math.min(ids.size(), from + PROGRESS_EVERY));
      Parallel.run(
              copies.readers(),
              some,
              id -> differences(id, present.getOrDefault(id, Optional.empty())))
          .forEach(found -> found.forEach(this::report));
      progress.accept(from + some.size());
    }
  }

  private enum Kind {
    MISSING,
    STALE
  }

  private record Difference(Kind kind, String name) {}

  private void report(Difference difference) {
    if (difference.kind() == Kind.MISSING) {
      missing++;
      lines.accept("missing      " + difference.name());
    } else {
      stale++;
      lines.accept("stale        " + difference.name());
    }
  }

  private List<Difference> differences(UUID id, Optional<Instant> changedAt) throws IOException {
    List<Copies.Place> places = copies.places(id).stream().filter(Copies.Place::readable).toList();
    if (places.isEmpty()) {
      return List.of(new Difference(Kind.MISSING, id.toString()));
    }
    List<Difference> found = new ArrayList<>();
    for (Copies.Place place : places) {
      if (places.size() > 1 || !isCurrent(id, place, changedAt.orElse(Instant.MIN))) {
        found.add(new Difference(Kind.STALE, place.name()));
      }
    }
    return found;
  }

  private boolean isCurrent(UUID id, Copies.Place place, Instant changedAt) throws IOException {
    Copies.Content content;
    MirrorFormat.Copy copy;
    try {
      content = copies.read(place);
      copy = copies.state().format().describe(content.bytes().getBytes());
    } catch (ObjectStoreException unusable) {
      throw unusable;
    } catch (IOException movedOrDamaged) {
      return false;
    }
    if (!copy.id().equals(id) || !copy.day().equals(place.day())) {
      return false;
    }
    Instant emittedAt = copy.emittedAt();
    if (changedAt.isAfter(emittedAt.plus(CLOCKS))) {
      return false;
    }
    return (content.asWritten() && changedAt.isBefore(emittedAt.minus(CLOCKS)))
        || saysTheSame(id, content.bytes().getBytes());
  }

  private boolean saysTheSame(UUID id, byte[] content) {
    MirrorFormat format = copies.state().format();
    return source
        .capture(id)
        .map(capture -> format.sayTheSame(format.render(capture), content))
        .orElse(true);
  }

  private void superfluous(String name) {
    superfluous++;
    lines.accept("superfluous  " + name);
  }
}
