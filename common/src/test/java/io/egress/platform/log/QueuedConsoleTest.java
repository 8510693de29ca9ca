package io.egress.platform.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueuedConsoleTest {
  private static final int MANY = 20_000;

  private final LoggerContext context = new LoggerContext();
  private final Logger log = context.getLogger("test");
  private final SlowEncoder encoder = new SlowEncoder();
  private final QueuedConsole console = new QueuedConsole();

  @BeforeEach
  void start() {
    context.setMDCAdapter(new LogbackMDCAdapter());
    console.setContext(context);
    console.setTarget("System.err");
    console.setEncoder(encoder);
    encoder.start();
    console.start();
    log.addAppender(console);
  }

  @Test
  void writesEverythingInOrderBeforeItStops() {
    for (int i = 0; i < 1_000; i++) {
      log.info("line {}", i);
    }
    context.stop();

    assertThat(encoder.written).hasSize(1_000).startsWith("line 0").endsWith("line 999");
  }

  @Test
  void dropsAndCountsInsteadOfBlockingOnASlowReader() {
    long before = QueuedConsole.droppedTotal();
    encoder.standStill.set(true);

    for (int i = 0; i < MANY; i++) {
      log.info("line {}", i);
    }
    long dropped = QueuedConsole.droppedTotal() - before;
    log.warn("a warning");

    assertThat(dropped).isBetween(MANY - 8_192L, MANY - 7_000L);
    encoder.goOn();
    await().untilAsserted(() -> assertThat(encoder.written).contains("a warning"));
    context.stop();
    assertThat(encoder.written.size()).isEqualTo(MANY - dropped + 1);
  }

  @Test
  void survivesALineThatCannotBeWritten() {
    log.info("refused");
    log.info("after it");
    context.stop();

    assertThat(List.copyOf(encoder.written)).containsExactly("after it");
  }

  /** Stands in for a terminal or a pipe; keeps what is written, at its own pace. */
  private static final class SlowEncoder extends EncoderBase<ILoggingEvent> {
    private final ConcurrentLinkedQueue<String> written = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean standStill = new AtomicBoolean();
    private final Semaphore goOn = new Semaphore(0);

    private void goOn() {
      standStill.set(false);
      goOn.release(MANY);
    }

    @Override
    public byte[] headerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      if (standStill.get()) {
        goOn.acquireUninterruptibly();
      }
      if (event.getFormattedMessage().equals("refused")) {
        throw new IllegalStateException("refused");
      }
      written.add(event.getFormattedMessage());
      return "".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return new byte[0];
    }
  }
}
