package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a folder or a bucket as a workspace is. It reads the stream and then the changes, always in
 * this order: what is read of the stream is as current as what is read of the changes afterwards.
 */
public final class Mirror implements AutoCloseable {
  private static final int PAGE = 100;
  private static final Duration WAIT = Duration.ofSeconds(5);

  /** For a service that stops, which holds no page. */
  private static final Duration POLL_PERIOD = Duration.ofSeconds(1);

  private static final Duration STOP_MAX = Duration.ofSeconds(10);

  private final CaptureSource source;
  private final MirrorStore store;
  private final IntConsumer progress;

  /** Held while the store is changed. */
  private final ReentrantLock changing = new ReentrantLock();

  private Mirror(CaptureSource source, MirrorStore store, IntConsumer progress) {
    this.source = source;
    this.store = store;
    this.progress = progress;
  }

  /**
   * Opens a mirror to write to, or creates it.
   *
   * @param format null for the mirror's own, which is JSON for a new one
   * @param progress gets the number of captures after each page
   */
  public static Mirror open(
      PublicApi api, MirrorLocation location, @Nullable MirrorFormat format, IntConsumer progress) {
    return open((CaptureSource) api, location, format, progress);
  }

  static Mirror open(
      CaptureSource source,
      MirrorLocation location,
      @Nullable MirrorFormat format,
      IntConsumer progress) {
    try {
      return new Mirror(source, location.open(format), progress);
    } catch (IOException failure) {
      throw MirrorException.unusable(location.name(), failure);
    }
  }

  /** Reads everything again; {@link #run} then deletes what the workspace does not have. */
  public void repair() {
    change(() -> store.save(store.state().startRepair()));
  }

  /** Reads what is new. */
  public void run() {
    run(Duration.ZERO);
  }

  private void run(Duration wait) {
    follow(MirrorFeed.STREAM, wait);
    follow(MirrorFeed.CHANGES, Duration.ZERO);
    if (store.state().repairing()) {
      endRepair();
    }
    change(store::tidyUp);
  }

  /**
   * Reads what is new until the process ends.
   *
   * @param notes gets the sentence of {@link #remains} whenever it is another
   */
  public void watch(Consumer<String> notes) throws InterruptedException {
    Optional<String> noted = Optional.empty();
    run();
    while (true) {
      Optional<String> remains = store.remains();
      if (!remains.equals(noted)) {
        remains.ifPresent(notes);
        noted = remains;
      }
      long askedNanos = System.nanoTime();
      run(WAIT);
      long restNanos = POLL_PERIOD.toNanos() - (System.nanoTime() - askedNanos);
      if (restNanos > 0) {
        TimeUnit.NANOSECONDS.sleep(restNanos);
      }
    }
  }

  /** Lets a change that has begun finish; nothing is changed afterwards. */
  public void stop() throws InterruptedException {
    if (changing.tryLock(STOP_MAX.toNanos(), TimeUnit.NANOSECONDS)) {
      close();
    }
  }

  /** A sentence about erased text that something keeps from being deleted. */
  public Optional<String> remains() {
    return store.remains();
  }

  /** What was done, in one line. */
  public String summary() {
    return store.tally().summary(store.size());
  }

  private void follow(MirrorFeed feed, Duration wait) {
    Page page = page(feed, wait);
    take(feed, page);
    while (page.hasNext()) {
      page = page(feed, Duration.ZERO);
      take(feed, page);
    }
  }

  private Page page(MirrorFeed feed, Duration wait) {
    try {
      return source.page(feed, store.state().cursor(feed), PAGE, wait);
    } catch (CaptureSource.OtherHistoryException other) {
      SameWorkspace.require(source, store);
      throw new MirrorException(
          "The service no longer has what %s was read from: it was restored from a backup, or the API key is of"
                  .formatted(store.name())
              + " another workspace. Run this command with --check to see what differs, and with --repair to read"
              + " everything again and delete what the workspace does not have.",
          other);
    }
  }

  private void take(MirrorFeed feed, Page page) {
    page.entries().forEach(entry -> SameWorkspace.require(entry, store));
    change(() -> {
      bindToWorkspace(page);
      store.apply(page.entries());
      String end = page.endCursor();
      if (end != null && !end.equals(store.state().cursor(feed))) {
        store.save(store.state().readTo(feed, end));
      }
    });
    progress.accept(store.size());
  }

  /** Before the first copy: another workspace's key must not add to it. */
  private void bindToWorkspace(Page page) throws IOException {
    Optional<CaptureDocument> first =
        page.entries().stream().map(Page.Entry::document).filter(Objects::nonNull).findFirst();
    if (store.state().workspace() == null && first.isPresent()) {
      store.save(store.state().ofWorkspace(first.get().workspace()));
    }
  }

  private void endRepair() {
    Map<UUID, ?> present = source.inventory();
    List<UUID> held = store.ids();
    if (present.isEmpty() && !held.isEmpty()) {
      throw new MirrorException(
          "The workspace has no captures, so nothing shows that it is the one of %s; delete the %s yourself if it is"
              .formatted(store.name(), store.kind()));
    }
    change(() -> {
      store.delete(held.stream().filter(id -> !present.containsKey(id)).toList());
      store.save(store.state().endRepair());
    });
    progress.accept(store.size());
  }

  private interface Change {
    void make() throws IOException;
  }

  private void change(Change change) {
    changing.lock();
    try {
      change.make();
    } catch (IOException failure) {
      throw MirrorException.unusable(store.name(), failure);
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void close() {
    try {
      store.close();
    } catch (IOException failure) {
      throw MirrorException.unusable(store.name(), failure);
    }
  }
}
