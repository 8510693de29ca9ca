package io.egress.dispatcher.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.Fleet;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CurrentDocumentsTest {
  private final Fleet fleet = new Fleet();
  private final CurrentDocuments heads =
      new CurrentDocuments(
          fleet.vertx,
          new DocumentStore(fleet.vertx, fleet.database, new Metrics()),
          new DocumentCache(1 << 20));

  @AfterEach
  void close() {
    fleet.close();
  }

  @Test
  void cachedDocumentsAreNotReadAgainUntilRevised() {
    fleet.stop(fleet.dispatcher());
    List<UUID> captures = fleet.captures(UUID.randomUUID(), 5);

    assertThat(read(captures)).isPositive();
    assertThat(read(captures)).as("all are at hand").isZero();

    fleet.query(
        "update documents set revision = 2 where capture_id = '%s'".formatted(captures.get(0)));
    fleet.query("update captures set revision = 2 where id = '%s'".formatted(captures.get(0)));
    assertThat(read(captures)).as("one was revised").isPositive();
  }

  @Test
  void aCaptureThatDoesNotExistIsNotFound() {
    fleet.stop(fleet.dispatcher());

    CurrentDocuments.Found found =
        Fleet.await(heads.read(fleet.database, List.of(UUID.randomUUID())).compose(heads::find));

    assertThat(found.heads()).isEmpty();
    assertThat(found.later()).isEmpty();
    assertThat(found.unrenderable()).isEmpty();
  }

  /** Returns the bytes that were read. */
  private long read(List<UUID> captures) {
    CurrentDocuments.Answer answer = Fleet.await(heads.read(fleet.database, captures));
    assertThat(Fleet.await(heads.find(answer)).heads()).hasSize(captures.size());
    return answer.bytes();
  }
}
