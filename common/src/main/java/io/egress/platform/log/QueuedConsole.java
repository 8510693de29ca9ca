package io.egress.platform.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Writes log lines on its own thread, because the reader of standard output may block and an event
 * loop must not. When the queue is full, lines are dropped and counted, those below WARN first.
 */
public final class QueuedConsole extends ConsoleAppender<ILoggingEvent> {
  private static final int LINES_MAX = 8_192;
  private static final int RESERVED_FOR_WARNINGS = LINES_MAX / 8;
  private static final long TELL_DROPPED_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long IDLE_CHECK_SECONDS = 1;
  private static final long DRAIN_MILLIS_MAX = 2_000;
  private static final LongAdder DROPPED = new LongAdder();

  private final BlockingQueue<ILoggingEvent> waiting = new ArrayBlockingQueue<>(LINES_MAX);
  private @Nullable Thread writer;
  private volatile boolean stopping;
  private long droppedTold;
  private long toldAtNanos = System.nanoTime() - TELL_DROPPED_NANOS;

  /** Lines of this process that were dropped. */
  public static long droppedTotal() {
    return DROPPED.sum();
  }

  @Override
  public void start() {
    super.start();
    if (isStarted()) {
      Thread thread = new Thread(this::write, "egress-log");
      thread.setDaemon(true);
      writer = thread;
      thread.start();
      Logs.opened();
    }
  }

  /** Writes pending lines, with a timeout in case the reader blocks. */
  @Override
  public void stop() {
    Thread thread = writer;
    if (thread == null) {
      return;
    }
    stopping = true;
    thread.interrupt();
    try {
      thread.join(DRAIN_MILLIS_MAX);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!thread.isAlive()) {
      super.stop();
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    boolean hasRoom =
        event.getLevel().isGreaterOrEqual(Level.WARN)
            || waiting.remainingCapacity() > RESERVED_FOR_WARNINGS;
    if (hasRoom) {
      event.prepareForDeferredProcessing();
    }
    if (!hasRoom || !waiting.offer(event)) {
      DROPPED.increment();
    }
  }

  private void write() {
    while (true) {
      ILoggingEvent event = next();
      if (event != null) {
        writeNow(event);
      } else if (stopping) {
        return;
      }
      tellDropped();
    }
  }

  private @Nullable ILoggingEvent next() {
    try {
      return stopping ? waiting.poll() : waiting.poll(IDLE_CHECK_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      return waiting.poll();
    }
  }

  /** A line that cannot be written must not end the writer. */
  private void writeNow(ILoggingEvent event) {
    try {
      super.append(event);
    } catch (RuntimeException failure) {
      addError("a line could not be written", failure);
    }
  }

  private void tellDropped() {
    long dropped = DROPPED.sum();
    long now = System.nanoTime();
    if (dropped != droppedTold
        && waiting.remainingCapacity() > LINES_MAX / 2
        && now - toldAtNanos >= TELL_DROPPED_NANOS) {
      toldAtNanos = now;
      LoggerFactory.getLogger(QueuedConsole.class)
          .atWarn()
          .addKeyValue("lines", dropped - droppedTold)
          .log("Log lines were dropped because they came faster than they could be written");
      droppedTold = dropped;
    }
  }
}
