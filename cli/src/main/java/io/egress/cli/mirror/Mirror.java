package io.egress.cli.mirror;

import io.egress.transcript.text.CaptureDocument;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a folder as a workspace is. It reads the stream and then the changes, always in this order:
 * what is read of the stream is as current as what is read of the changes afterwards.
 */
public final class Mirror implements AutoCloseable {
  private static final int PAGE = 100;
  private static final Duration WAIT = Duration.ofSeconds(5);

  /** For a service that stops, which holds no page. */
  private static final Duration POLL_PERIOD = Duration.ofSeconds(1);

  private static final Duration STOP_MAX = Duration.ofSeconds(10);

  private final Path root;
  private final CaptureSource source;
  private final MirrorFolder folder;
  private final IntConsumer progress;

  /** Held while the folder is changed. */
  private final ReentrantLock changing = new ReentrantLock();

  private Mirror(Path root, CaptureSource source, MirrorFolder folder, IntConsumer progress) {
    this.root = root;
    this.source = source;
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Opens a folder to write to, or creates it.
   *
   * @param format null for the folder's own, which is JSON for a new one
   * @param progress gets the number of captures after each page
   */
  public static Mirror open(
      PublicApi api, Path root, @Nullable MirrorFormat format, IntConsumer progress) {
    return open(api, root, format, progress, FileOperations.REAL);
  }

  static Mirror open(
      CaptureSource source,
      Path root,
      @Nullable MirrorFormat format,
      IntConsumer progress,
      FileOperations files) {
    try {
      return new Mirror(root, source, MirrorFolder.open(root, format, files), progress);
    } catch (IOException failure) {
      throw MirrorException.unusable(root, failure);
    }
  }

  /** Reads everything again; {@link #run} then deletes what the workspace does not have. */
  public void repair() {
    change(() -> folder.save(folder.state().startRepair()));
  }

  /** Reads what is new. */
  public void run() {
    run(Duration.ZERO);
  }

  private void run(Duration wait) {
    follow(Feed.STREAM, wait);
    follow(Feed.CHANGES, Duration.ZERO);
    if (folder.state().repairing()) {
      endRepair();
    }
  }

  /** Reads what is new until the process ends. */
  public void watch() throws InterruptedException {
    run();
    while (true) {
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
    var _ = changing.tryLock(STOP_MAX.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** What was done, in one line. */
  public String summary() {
    return folder.tally().summary(folder.index().size());
  }

  private void follow(Feed feed, Duration wait) {
    Page page = page(feed, wait);
    take(feed, page);
    while (page.hasNext()) {
      page = page(feed, Duration.ZERO);
      take(feed, page);
    }
  }

  private Page page(Feed feed, Duration wait) {
    try {
      return source.page(feed, folder.state().cursor(feed), PAGE, wait);
    } catch (CaptureSource.OtherHistoryException other) {
      folder.requireWorkspaceOf(source);
      throw new MirrorException(
          "The service no longer has what %s was read from: it was restored from a backup, or the API key is of"
                  .formatted(root)
              + " another workspace. Run this command with --check to see what differs, and with --repair to read"
              + " everything again and delete what the workspace does not have.",
          other);
    }
  }

  private void take(Feed feed, Page page) {
    page.entries().forEach(folder::requireWorkspace);
    change(() -> {
      for (Page.Entry entry : page.entries()) {
        take(entry);
      }
      String end = page.endCursor();
      if (end != null && !end.equals(folder.state().cursor(feed))) {
        folder.save(folder.state().readTo(feed, end));
      }
    });
    progress.accept(folder.index().size());
  }

  private void take(Page.Entry entry) throws IOException {
    CaptureDocument document = entry.document();
    if (document == null) {
      folder.delete(entry.id());
      return;
    }
    if (folder.state().workspace() == null) {
      // Before the first file: another workspace's key must not add to it.
      folder.save(folder.state().ofWorkspace(document.workspace()));
    }
    folder.put(document);
  }

  private void endRepair() {
    Map<UUID, ?> present = source.inventory();
    List<UUID> held = folder.index().ids();
    if (present.isEmpty() && !held.isEmpty()) {
      throw new MirrorException(
          "The workspace has no captures, so nothing shows that it is the one of %s; delete the folder yourself if it is"
              .formatted(root));
    }
    change(() -> {
      for (UUID id : held) {
        if (!present.containsKey(id)) {
          folder.delete(id);
        }
      }
      folder.save(folder.state().endRepair());
    });
    progress.accept(folder.index().size());
  }

  private interface Change {
    void make() throws IOException;
  }

  private void change(Change change) {
    changing.lock();
    try {
      change.make();
    } catch (IOException failure) {
      throw MirrorException.unusable(root, failure);
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void close() {
    try {
      folder.close();
    } catch (IOException failure) {
      throw MirrorException.unusable(root, failure);
    }
  }
}
