package io.egress.dispatcher.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.egress.dispatcher.DispatcherProcess;
import io.egress.dispatcher.Fleet;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Documents that are small when stored and large when sent. */
@Tag("full")
class LargeDocumentsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int LARGE_CHARACTERS = 40 << 20;
  private static final int WORKSPACES = 4;
  private static final int CAPTURES = 4;
  private static final Buffer BUSY =
      Buffer.buffer("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");

  private final Fleet fleet = new Fleet();

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void fitIntoTheDefaultHeap() {
    String url = fleet.receivers.rawUrl(socket -> socket.handler(_ -> socket.end(BUSY)));
    UUID large = fleet.captures(UUID.randomUUID(), 1, "a".repeat(LARGE_CHARACTERS)).get(0);
    for (int i = 0; i < WORKSPACES; i++) {
      UUID workspace = UUID.randomUUID();
      fleet.endpoint(workspace, url, false);
      fleet.captures(workspace, CAPTURES);
    }
    fleet.query(
        """
        update documents d set length = l.length, crc32 = l.crc32, deflated = l.deflated
        from documents l where l.capture_id = '%s'
        """
            .formatted(large));

    try (DispatcherProcess dispatcher = fleet.processWithDefaultHeap()) {
      await().atMost(PATIENCE).until(() -> fleet.count("attempts") >= WORKSPACES * CAPTURES);
      assertThat(dispatcher.said()).doesNotContain("OutOfMemoryError");
    }
  }
}
