package io.egress.platform.outage;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutageTest {
  private final Exception cause = new IllegalStateException("away");

  private final Logger log = new LoggerContext().getLogger("test");
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();
  private long now = -5;
  private final Outage outage = new Outage(log, "it fails", "it works", () -> now);

  @BeforeEach
  void listen() {
    told.start();
    log.addAppender(told);
  }

  @Test
  void logsTheBeginningAndTheEndOnce() {
    for (int i = 0; i < 100; i++) {
      outage.failed(cause);
      pass(Duration.ofMillis(200));
    }
    outage.worked();
    outage.worked();

    assertThat(lines(Level.WARN)).containsExactly("it fails: away");
    assertThat(lines(Level.INFO)).containsExactly("it works");
    assertThat(told.list.get(told.list.size() - 1).getKeyValuePairs().toString())
        .contains("seconds=\"20\"", "failures=\"100\"");
  }

  @Test
  void eachLineHasTheLabels() {
    Outage labeled = Outage.ofItsOwn(log, "it fails", "it works", Map.of("role", "reader"));
    labeled.failed(cause);
    labeled.worked();

    assertThat(told.list)
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line.getKeyValuePairs().toString()).contains("role=\"reader\""));
  }

  @Test
  void logsNothingWhileCallsSucceed() {
    outage.worked();
    assertThat(told.list).isEmpty();
  }

  @Test
  void remindsOnceAMinute() {
    for (int second = 0; second <= 600; second++) {
      outage.failed(cause);
      pass(Duration.ofSeconds(1));
    }
    assertThat(lines(Level.WARN)).hasSize(11);
  }

  @Test
  void isBoundedWhileCallsAlternatelyFailAndSucceed() {
    for (int i = 0; i < 600; i++) {
      outage.failed(cause);
      pass(Duration.ofMillis(50));
      outage.worked();
      pass(Duration.ofMillis(50));
    }
    assertThat(lines(Level.WARN)).hasSizeBetween(5, 7);
    assertThat(lines(Level.INFO)).hasSameSizeAs(lines(Level.WARN));
  }

  @Test
  void logsASecondOutage() {
    outage.failed(cause);
    outage.worked();
    pass(Duration.ofSeconds(20));
    outage.failed(cause);
    outage.worked();

    assertThat(lines(Level.WARN)).hasSize(2);
    assertThat(lines(Level.INFO)).hasSize(2);
  }

  @Test
  void logsWhatFailed() {
    outage.failed(cause, Map.of("request_id", "r-1"));
    assertThat(told.list.get(0).getKeyValuePairs().toString()).contains("request_id=\"r-1\"");
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private List<String> lines(Level level) {
    return told.list.stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}
