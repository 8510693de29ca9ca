package io.egress.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RepeatedLinesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Logger log = (Logger) LoggerFactory.getLogger(RepeatedLinesTest.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final RepeatedLines lines = new RepeatedLines(log, nanos::get);

  @BeforeEach
  void listen() {
    log.setAdditive(false);
    log.addAppender(logged);
    logged.start();
  }

  @AfterEach
  void stopListening() {
    log.detachAppender(logged);
  }

  @Test
  void logsALineThatDiffersOnlyInNumbersOnceAMinute() {
    for (int i = 0; i < 1_000; i++) {
      lines.add("Error flushing topic t-" + i + " at offset " + i * 7);
      lines.add("\tat kafka.Line(" + i + ")");
    }
    lines.add("another line");
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    lines.add("Error flushing topic t-1 at offset 1");

    assertThat(logged.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "Kafka: Error flushing topic t-0 at offset 0",
            "Kafka: another line",
            "Kafka: Error flushing topic t-1 at offset 1");
    assertThat(lines.last()).isEqualTo("Error flushing topic t-1 at offset 1");
  }
}
