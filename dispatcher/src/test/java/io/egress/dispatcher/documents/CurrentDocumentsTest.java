package io.egress.dispatcher.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.Fleet;
import io.egress.dispatcher.documents.CurrentDocuments.Wanted;
import io.egress.platform.metrics.Metrics;
import io.egress.transcript.document.DocumentStore;
import io.egress.transcript.document.Fragment;
import io.egress.webhook.send.DocumentHead;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  void onlyWhatIsSentAsTextIsInflated() {
    fleet.stop(fleet.dispatcher());
    List<UUID> captures = fleet.captures(UUID.randomUUID(), 2);

    assertThat(find(captures, Set.of(captures.get(1))))
        .extractingByKeys(captures.get(0), captures.get(1))
        .extracting(DocumentHead::isInflated)
        .containsExactly(false, true);

    assertThat(read(captures)).as("inflated from what is cached").isZero();
    assertThat(find(captures, Set.of()))
        .allSatisfy((_, head) -> assertThat(head.isInflated()).isTrue());
  }

  @Test
  void whatWasStoredIsKeptOnlyIfItIsSent() {
    fleet.stop(fleet.dispatcher());
    List<UUID> captures = fleet.captures(UUID.randomUUID(), 1);
    UUID capture = captures.getFirst();
    Wanted text = new Wanted(Set.of(capture), Set.of());
    Wanted compressed = new Wanted(Set.of(), Set.of(capture));

    assertThat(find(captures, text).heads().get(capture))
        .returns(false, DocumentHead::isStored)
        .returns(true, DocumentHead::isInflated);

    assertThat(find(captures, compressed).later()).containsExactly(capture);
    assertThat(find(captures, compressed).heads().get(capture))
        .as("read again")
        .returns(true, DocumentHead::isStored)
        .returns(false, DocumentHead::isInflated);

    assertThat(find(captures, text).heads().get(capture))
        .as("for both")
        .returns(true, DocumentHead::isStored)
        .returns(true, DocumentHead::isInflated);
    assertThat(read(captures)).isZero();
  }

  private CurrentDocuments.Found find(List<UUID> captures, Wanted wanted) {
    return Fleet.await(
        heads.read(fleet.database, captures).compose(answer -> heads.find(answer, wanted)));
  }

  /** Its revision stays: the capture is put again as it was. */
  @Test
  void aDocumentThatDidNotInflateIsReadAgain() {
    fleet.stop(fleet.dispatcher());
    List<UUID> captures = fleet.captures(UUID.randomUUID(), 1);
    Row whole = stored();
    Fragment good =
        new Fragment(
            whole.getBuffer("deflated"), whole.getInteger("crc32"), whole.getInteger("length"));
    Fragment damaged = new Fragment(good.deflated(), good.crc32() + 1, good.length());
    store(damaged);
    assertThat(find(captures, Set.of())).hasSize(1);
    assertThat(find(captures, Set.copyOf(captures))).isEmpty();

    store(good);
    assertThat(find(captures, Set.copyOf(captures))).hasSize(1);
  }

  private Row stored() {
    return fleet.query("select crc32, length, deflated from documents").iterator().next();
  }

  private void store(Fragment fragment) {
    fleet.query(
        "update documents set crc32 = %d, checksum = %d"
            .formatted(fragment.crc32(), fragment.checksum()));
  }

  private Map<UUID, DocumentHead> find(List<UUID> captures, Set<UUID> texts) {
    return find(captures, new Wanted(texts, Set.of())).heads();
  }

  @Test
  void aCaptureThatDoesNotExistIsNotFound() {
    fleet.stop(fleet.dispatcher());

    CurrentDocuments.Found found =
        Fleet.await(
            heads
                .read(fleet.database, List.of(UUID.randomUUID()))
                .compose(answer -> heads.find(answer, new Wanted(Set.of(), Set.of()))));

    assertThat(found.heads()).isEmpty();
    assertThat(found.later()).isEmpty();
    assertThat(found.unrenderable()).isEmpty();
  }

  /** Returns the bytes that were read. */
  private long read(List<UUID> captures) {
    CurrentDocuments.Answer answer = Fleet.await(heads.read(fleet.database, captures));
    assertThat(Fleet.await(heads.find(answer, new Wanted(Set.copyOf(captures), Set.of()))).heads())
        .hasSize(captures.size());
    return answer.bytes();
  }
}
