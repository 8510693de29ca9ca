package io.egress.api.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.egress.api.Service;
import io.egress.platform.lifecycle.Recurring;
import io.egress.transcript.stream.ProcessedCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.LoggerFactory;

/** From the stream to Kafka. */
@Execution(ExecutionMode.CONCURRENT)
class RelayTest {

  private final UUID workspace = UUID.randomUUID();
  private Service service;
  private Service twin;

  @BeforeEach
  void start() {
    service = Service.start();
    twin = service.twin();
  }

  @AfterEach
  void stop() {
    twin.close();
    service.close();
  }

  @Test
  void eachCaptureIsPublishedOnceBySeveralProcesses() {
    List<UUID> captures = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      UUID id = UUID.randomUUID();
      Service through = i % 2 == 0 ? service : twin;
      assertThat(through.put(id, Service.capture(workspace)).statusCode()).isEqualTo(201);
      captures.add(id);
    }
    await().until(() -> outbox() == 0);

    List<UUID> published =
        PublishedCaptures.all(service).stream().map(ProcessedCapture::captureId).toList();
    assertThat(published).containsExactlyInAnyOrderElementsOf(captures);
  }

  @Test
  void theOutboxPublishesWhatAKilledProcessLeft() {
    UUID left = UUID.randomUUID();
    service.query(
        "insert into outbox (workspace_id, position, capture_id, entered_at) values ('%s', 1, '%s', now() - interval '1 minute')"
            .formatted(workspace, left));
    await().until(() -> outbox() == 0);

    assertThat(PublishedCaptures.all(service))
        .extracting(ProcessedCapture::captureId)
        .containsExactly(left);
  }

  @Test
  void leavesNothingInTheOutboxWhenItEnds() {
    try (Service ending = service.twin()) {
      assertThat(ending.put(UUID.randomUUID(), Service.capture(workspace)).statusCode())
          .isEqualTo(201);
      await().until(() -> service.query("select from stream").size() == 1);
    }

    await().until(() -> outbox() == 0);
    assertThat(PublishedCaptures.all(service))
        .extracting(ProcessedCapture::position)
        .containsOnly(1L);
  }

  @Test
  void saysThatItCannotPublish() {
    String topic = service.environment.get("EGRESS_TOPIC_PREFIX") + "captures.processed";
    Logger log = (Logger) LoggerFactory.getLogger(Recurring.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.list = new CopyOnWriteArrayList<>();
    told.start();
    log.addAppender(told);
    try {
      service.query("alter table outbox rename to outbox_away");
      await().until(() -> says(told, "Failed; retrying: publishing to " + topic));
    } finally {
      log.detachAppender(told);
    }
  }

  private static boolean says(ListAppender<ILoggingEvent> told, String text) {
    return told.list.stream().anyMatch(event -> event.getFormattedMessage().startsWith(text));
  }

  private int outbox() {
    return service.query("select from outbox").size();
  }
}
