package io.egress.cli.mirror;

import io.egress.cli.mirror.BucketIndex.Copy;
import io.egress.transcript.text.CaptureDocument;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The bucket of a mirror: an object for each capture, and a manifest. The manifest is replaced
 * after everything that its cursors cover was written, and only as the run has read it, so of two
 * runs the second to replace it stops.
 *
 * <p>The run that stops may have been writing for a while. It does no harm, because runs never
 * write the same object unless one had ended before the other began: a run that claims the manifest
 * from one that has not ended takes the next number, and the number is part of the names. What the
 * former run was about to do comes after the cursors, so the claiming run does it, too, under its
 * own number, and deletes the copies with lower ones. What arrives with a lower number after the
 * claim is deleted by the next run that lists the bucket.
 */
final class MirrorBucket implements MirrorStore {
  private static final int AT_A_TIME = 16;
  private static final Duration ERASING_PERIOD = Duration.ofHours(1);
  private static final String NO_VERSION = "\"00000000000000000000000000000000\"";

  private final ObjectStore objects;
  private final BucketAddress address;
  private final BucketIndex index;
  private final BucketErasure erasure;
  private final Tally tally = new Tally();
  private BucketManifest manifest;
  private String etag;
  private final SortedSet<String> late = new TreeSet<>();
  private long erasedNanos = System.nanoTime();

  /** No other run has taken over, and all requests are known to have ended. */
  private boolean mine;

  private MirrorBucket(
      ObjectStore objects,
      BucketAddress address,
      boolean hasVersions,
      BucketManifest manifest,
      String etag,
      boolean mine)
      throws IOException {
    this.objects = objects;
    this.address = address;
    this.manifest = manifest;
    this.etag = etag;
    this.mine = mine;
    this.index = BucketIndex.read(objects, address, manifest, hasVersions);
    this.erasure = new BucketErasure(objects, address, hasVersions, manifest.erasing());
    this.late.addAll(index.late());
  }

  /** See {@link MirrorLocation#open}. */
  static MirrorBucket open(
      ObjectStore objects,
      BucketAddress address,
      @Nullable MirrorFormat format,
      BucketLocation.Settling settling)
      throws IOException {
    boolean hasVersions = objects.hasVersions();
    String key = address.key(BucketManifest.NAME);
    Optional<ObjectStore.Content> stored = objects.get(key);
    UUID run = UUID.randomUUID();
    BucketManifest manifest;
    String etag;
    if (stored.isEmpty()) {
      requireNothingElse(objects, address);
      manifest = BucketManifest.initial(format == null ? MirrorFormat.JSON : format, run);
      etag = claim(objects, address, manifest, null);
      requireConditions(objects, address, manifest);
    } else {
      BucketManifest before = parse(address, stored.get().bytes().getBytes());
      before.mirror().requireFormat(format, address.toString(), "prefix");
      manifest = before.claimedBy(run);
      etag = claim(objects, address, manifest, stored.get().etag());
      if (before.running()) {
        manifest = manifest.claimedAt(claimTime(objects, address));
        settling.await();
      }
    }
    MirrorBucket bucket = new MirrorBucket(objects, address, hasVersions, manifest, etag, true);
    bucket.eraseAgain();
    return bucket;
  }

  /** See {@link MirrorLocation#look}. */
  static MirrorBucket look(
      ObjectStore objects, BucketAddress address, @Nullable MirrorFormat format)
      throws IOException {
    boolean hasVersions = objects.hasVersions();
    ObjectStore.Content stored =
        objects
            .get(address.key(BucketManifest.NAME))
            .orElseThrow(() ->
                new MirrorException(
                    "%s is not a mirror: it has no %s".formatted(address, BucketManifest.NAME)));
    BucketManifest manifest = parse(address, stored.bytes().getBytes());
    manifest.mirror().requireFormat(format, address.toString(), "prefix");
    return new MirrorBucket(objects, address, hasVersions, manifest, stored.etag(), false);
  }

  private static void requireNothingElse(ObjectStore objects, BucketAddress address)
      throws IOException {
    for (ObjectStore.Version object : objects.someObjects(address.prefix())) {
      String name = address.name(object.key());
      throw name.equals(BucketManifest.NAME)
          ? anotherHasBegun(address)
          : new MirrorException(
              "%s is not a mirror and not empty: it has %s; choose another prefix"
                  .formatted(address, name));
    }
  }

  private static BucketManifest parse(BucketAddress address, byte[] content) {
    try {
      return BucketManifest.parse(content);
    } catch (IOException broken) {
      throw new MirrorException(
          "%s/%s is not a manifest of egress mirror: %s; mirror to an empty prefix"
              .formatted(address, BucketManifest.NAME, broken.getMessage()),
          broken);
    }
  }

  private static String claim(
      ObjectStore objects, BucketAddress address, BucketManifest manifest, @Nullable String etag)
      throws IOException {
    return replace(objects, address, manifest, etag).orElseThrow(() -> anotherHasBegun(address));
  }

  private static MirrorException anotherHasBegun(BucketAddress address) {
    return new MirrorException(
        "Another egress mirror has begun to keep %s current".formatted(address));
  }

  /** Without them, two runs would not notice each other. */
  private static void requireConditions(
      ObjectStore objects, BucketAddress address, BucketManifest manifest) throws IOException {
    for (String wrong : Arrays.asList(null, NO_VERSION)) {
      try {
        objects.replace(
            address.key(BucketManifest.NAME), manifest.encode(), "application/json", wrong);
      } catch (ObjectStoreException.ConditionFailed asItShould) {
        continue;
      }
      objects.delete(address.key(BucketManifest.NAME));
      throw new MirrorException(
          "%s cannot be used: the bucket ignores %s, without which two runs would not notice each other"
              .formatted(address, wrong == null ? "If-None-Match" : "If-Match"));
    }
  }

  /** Empty if it is not as it was when it had {@code etag}. */
  private static Optional<String> replace(
      ObjectStore objects, BucketAddress address, BucketManifest next, @Nullable String etag)
      throws IOException {
    String key = address.key(BucketManifest.NAME);
    byte[] content = next.encode();
    try {
      return Optional.of(objects.replace(key, content, "application/json", etag));
    } catch (ObjectStoreException.ConditionFailed failed) {
      // A request whose answer was lost is repeated, and finds what it has written itself.
      return objects
          .get(key)
          .filter(now -> now.bytes().equals(Buffer.buffer(content)))
          .map(ObjectStore.Content::etag);
    }
  }

  private static Instant claimTime(ObjectStore objects, BucketAddress address) throws IOException {
    return objects
        .get(address.key(BucketManifest.NAME))
        .orElseThrow(() -> takenOver(address))
        .lastModified();
  }

  private static MirrorException takenOver(BucketAddress address) {
    return new MirrorException(
        "Another egress mirror has taken over %s, so this one has stopped".formatted(address));
  }

  @Override
  public String name() {
    return address.toString();
  }

  @Override
  public String kind() {
    return "prefix";
  }

  @Override
  public MirrorState state() {
    return manifest.mirror();
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
    return index.copies(id).stream()
        .filter(copy -> !erasure.isPending(index.name(id, copy)))
        .map(copy -> new Place(index.name(id, copy), copy.day(), copy.readable()))
        .toList();
  }

  @Override
  public Collection<String> others() {
    SortedSet<String> names = new TreeSet<>(index.others());
    names.addAll(index.late());
    names.addAll(erasure.pending());
    return names;
  }

  @Override
  public Content read(Place place) throws IOException {
    ObjectStore.Content content =
        objects
            .get(address.key(place.name()))
            .orElseThrow(() -> new IOException("deleted meanwhile"));
    return new Content(content.bytes(), content.asWritten());
  }

  @Override
  public int readers() {
    return AT_A_TIME;
  }

  @Override
  public void apply(List<Page.Entry> entries) throws IOException {
    change(() ->
        Parallel.run(
            AT_A_TIME,
            entries,
            entry -> {
              CaptureDocument document = entry.document();
              if (document == null) {
                delete(entry.id());
              } else {
                put(document);
              }
              return entry.id();
            }));
  }

  @Override
  public void delete(Collection<UUID> ids) throws IOException {
    change(() ->
        Parallel.run(
            AT_A_TIME,
            List.copyOf(ids),
            id -> {
              delete(id);
              return id;
            }));
  }

  private void put(CaptureDocument document) throws IOException {
    UUID id = document.id();
    Copy copy = new Copy(document.day(), manifest.writer(), true);
    List<Copy> before = index.copies(id);
    byte[] content = state().format().render(document);
    boolean isNew = !BucketIndex.isReadable(before);
    boolean same = !isNew && saysTheSame(id, before, document.day(), content);
    String name = index.name(id, copy);
    objects.put(address.key(name), content, state().format().mediaType());
    index.add(id, copy);
    erasure.forget(name);
    for (Copy other : before) {
      if (!other.isAt(copy)) {
        erasure.erase(index.name(id, other));
      }
    }
    index.set(id, copy);
    tally.put(isNew, same);
  }

  private boolean saysTheSame(UUID id, List<Copy> before, LocalDate day, byte[] content)
      throws IOException {
    if (before.size() != 1 || !before.getFirst().day().equals(day)) {
      return false;
    }
    return objects
        .get(address.key(index.name(id, before.getFirst())))
        .filter(now -> state().format().sayTheSame(now.bytes().getBytes(), content))
        .isPresent();
  }

  private void delete(UUID id) throws IOException {
    List<Copy> copies = index.copies(id);
    for (Copy copy : copies) {
      erasure.erase(index.name(id, copy));
    }
    index.remove(id);
    if (!copies.isEmpty()) {
      tally.deleted();
    }
  }

  @Override
  public void save(MirrorState next) throws IOException {
    change(() -> save(next, true));
  }

  private void save(MirrorState next, boolean goesOn) throws IOException {
    BucketManifest saved = manifest.next(next, new TreeSet<>(erasure.pending()), goesOn);
    etag = replace(objects, address, saved, etag).orElseThrow(() -> takenOver(address));
    manifest = saved;
  }

  @Override
  public void tidyUp() throws IOException {
    change(() -> {
      for (String name : List.copyOf(late)) {
        erasure.erase(name);
        late.remove(name);
      }
      if (System.nanoTime() - erasedNanos > ERASING_PERIOD.toNanos()) {
        eraseAgain();
      }
      if (!erasure.pending().equals(manifest.erasing())) {
        save(state(), true);
      }
    });
  }

  private void eraseAgain() throws IOException {
    erasedNanos = System.nanoTime();
    List<String> pending = new ArrayList<>(erasure.pending());
    change(() ->
        Parallel.run(
            AT_A_TIME,
            pending,
            name -> {
              erasure.erase(name);
              return name;
            }));
  }

  @Override
  public Optional<String> remains() {
    return erasure.remains();
  }

  private interface Change {
    void make() throws IOException;
  }

  /** After a failure it is not known which requests the bucket will still carry out. */
  private void change(Change change) throws IOException {
    boolean made = false;
    try {
      change.make();
      made = true;
    } finally {
      mine &= made;
    }
  }

  /** Says in the manifest that this run has ended, if that is so. */
  @Override
  public void close() {
    try {
      if (mine) {
        mine = false;
        save(state(), false);
      }
    } catch (IOException | MirrorException unsaid) {
      // The next run takes the next number, as after a run that was killed.
    } finally {
      objects.close();
    }
  }
}
