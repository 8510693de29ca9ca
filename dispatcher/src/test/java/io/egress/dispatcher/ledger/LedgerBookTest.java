package io.egress.dispatcher.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.egress.dispatcher.ledger.LedgerBook.Commit;
import io.egress.dispatcher.ledger.LedgerBook.Entry;
import io.egress.dispatcher.ledger.PartitionLedger.Outstanding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LedgerBookTest {
  private static final String PARTITION = "deliveries-3";
  private static final long BEYOND_INT = 1L << 33;

  private final LedgerBook<String> book = new LedgerBook<>(5_000);

  @Test
  void hasNothingToCommitBeforeTheOldestRecordIsComplete() {
    book.assign(PARTITION);
    Entry<String> first = register(10);
    Entry<String> second = register(11);

    assertThat(book.complete(second)).isTrue();
    assertThat(book.commitsDue()).isEmpty();
    assertThat(ledger().committable()).isEmpty();

    assertThat(book.complete(first)).isTrue();
    assertThat(committableOffsets()).containsExactly(12L);
  }

  @Test
  void commitsTheOffsetAfterTheContiguousPrefixAcrossGaps() {
    book.assign(PARTITION);
    Entry<String> first = register(BEYOND_INT);
    Entry<String> afterGap = register(BEYOND_INT + 7);
    Entry<String> afterHugeGap = register(BEYOND_INT * 5);

    book.complete(first);
    assertThat(committableOffsets()).containsExactly(BEYOND_INT + 1);
    book.complete(afterGap);
    assertThat(committableOffsets()).containsExactly(BEYOND_INT + 8);
    book.complete(afterHugeGap);
    assertThat(committableOffsets()).containsExactly(BEYOND_INT * 5 + 1);
  }

  @Test
  void commitIsDueUntilItIsReportedAsTaken() {
    book.assign(PARTITION);
    book.complete(register(4));
    Commit<String> sent = book.commitsDue().get(0);
    book.complete(register(5));

    book.committed(sent);
    assertThat(committableOffsets()).containsExactly(6L);

    book.committed(book.commitsDue().get(0));
    assertThat(book.commitsDue()).isEmpty();
    assertThat(ledger().committable()).hasValue(6);
  }

  @Test
  void reportsOfCommitsMayArriveInAnyOrder() {
    book.assign(PARTITION);
    book.complete(register(0));
    Commit<String> earlier = book.commitsDue().get(0);
    book.complete(register(1));
    Commit<String> later = book.commitsDue().get(0);

    book.committed(later);
    book.committed(earlier);

    assertThat(book.commitsDue()).isEmpty();
  }

  @Test
  void knowsTheOldestOutstandingRecordAndItsTime() {
    book.assign(PARTITION);
    Entry<String> first = book.register(PARTITION, 20, 1_000).orElseThrow();
    assertThat(book.register(PARTITION, 22, 2_000)).isPresent();

    assertThat(ledger().oldestOutstanding()).contains(new Outstanding(20, 1_000));
    book.complete(first);
    assertThat(ledger().oldestOutstanding()).contains(new Outstanding(22, 2_000));
    assertThat(ledger().highestRegistered()).hasValue(22);
    assertThat(book.outstanding()).isOne();
  }

  @Test
  void aSecondCompletionHasNoEffect() {
    book.assign(PARTITION);
    Entry<String> first = register(0);
    Entry<String> second = register(1);

    assertThat(book.complete(second)).isTrue();
    assertThat(book.complete(second)).isFalse();
    assertThat(book.outstanding()).isOne();
    assertThat(book.complete(first)).isTrue();
    assertThat(book.complete(first)).isFalse();
    assertThat(book.outstanding()).isZero();
  }

  @Test
  void ignoresCompletionsAndCommitsOfAFormerAssignment() {
    book.assign(PARTITION);
    Entry<String> former = register(7);
    Entry<String> completed = register(8);
    book.complete(former);
    Commit<String> formerCommit = book.commitsDue().get(0);
    book.revoke(PARTITION);
    book.assign(PARTITION);
    Entry<String> current = register(8);

    assertThat(book.complete(completed)).isFalse();
    assertThat(book.commitsDue()).isEmpty();
    book.committed(formerCommit);
    book.complete(current);
    assertThat(committableOffsets()).containsExactly(9L);
  }

  @Test
  void revocationGivesTheLastOffsetToCommitOnce() {
    book.assign(PARTITION);
    book.complete(register(30));
    register(31);

    assertThat(book.revoke(PARTITION)).map(Commit::nextOffset).contains(31L);
    assertThat(book.revoke(PARTITION)).isEmpty();
    assertThat(book.ledger(PARTITION)).isEmpty();
    assertThat(book.commitsDue()).isEmpty();
  }

  @Test
  void revocationHasNothingToCommitWhenAllIsCommitted() {
    book.assign(PARTITION);
    book.complete(register(30));
    book.committed(book.commitsDue().get(0));

    assertThat(book.revoke(PARTITION)).isEmpty();
  }

  @Test
  void takesNoRecordOfAPartitionThatIsNotAssigned() {
    assertThat(book.register(PARTITION, 0, 0)).isEmpty();
  }

  @Test
  void anAssignmentWithoutARevocationStartsOver() {
    book.assign(PARTITION);
    Entry<String> former = register(5);
    book.assign(PARTITION);

    assertThat(register(5)).isNotEqualTo(former);
    assertThat(book.complete(former)).isFalse();
  }

  @Test
  void aFullPartitionRefusesUntilItsOldestRecordIsComplete() {
    LedgerBook<String> small = new LedgerBook<>(3);
    small.assign(PARTITION);
    Entry<String> first = small.register(PARTITION, 0, 0).orElseThrow();
    Entry<String> second = small.register(PARTITION, 1, 0).orElseThrow();
    assertThat(small.register(PARTITION, 2, 0)).isPresent();

    assertThat(small.register(PARTITION, 3, 0)).isEmpty();
    small.complete(second);
    assertThat(small.register(PARTITION, 3, 0)).as("the span is as long as before").isEmpty();
    small.complete(first);
    assertThat(small.ledger(PARTITION).orElseThrow().room()).isEqualTo(2);
    assertThat(small.register(PARTITION, 3, 0)).isPresent();
  }

  @Test
  void partitionsDoNotAffectEachOther() {
    book.assign(PARTITION);
    book.assign("deliveries.parked-3");
    register(0);
    book.complete(book.register("deliveries.parked-3", 0, 0).orElseThrow());

    assertThat(book.commitsDue())
        .extracting(Commit::partition)
        .containsExactly("deliveries.parked-3");
  }

  @Test
  void refusesOffsetsThatDoNotIncrease() {
    book.assign(PARTITION);
    register(5);

    assertThatThrownBy(() -> register(5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> register(4)).isInstanceOf(IllegalArgumentException.class);
    book.assign(PARTITION);
    assertThatThrownBy(() -> register(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesACommitBeyondWhatIsCommittable() {
    book.assign(PARTITION);
    register(5);
    Commit<String> tooFar =
        new Commit<>(PARTITION, ledger().epoch(), ledger().highestRegistered().orElseThrow() + 1);

    assertThatThrownBy(() -> book.committed(tooFar)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void holdsTensOfThousandsCompletedInRandomOrderWithGaps() {
    LedgerBook<String> large = new LedgerBook<>(100_000);
    large.assign(PARTITION);
    Random random = new Random(7);
    List<Entry<String>> entries = new ArrayList<>();
    long offset = BEYOND_INT;
    for (int i = 0; i < 100_000; i++) {
      offset += random.nextInt(10) == 0 ? 1 + random.nextInt(50) : 1;
      entries.add(large.register(PARTITION, offset, i).orElseThrow());
    }
    Entry<String> oldest = entries.remove(0);
    Collections.shuffle(entries, random);

    entries.forEach(entry -> assertThat(large.complete(entry)).isTrue());
    assertThat(large.commitsDue()).isEmpty();
    assertThat(large.outstanding()).isOne();
    assertThat(large.register(PARTITION, offset + 1, 0)).isEmpty();

    large.complete(oldest);
    assertThat(large.commitsDue()).extracting(Commit::nextOffset).containsExactly(offset + 1);
    assertThat(large.ledger(PARTITION).orElseThrow().room()).isEqualTo(100_000);
    assertThat(large.ledger(PARTITION).orElseThrow().highestRegistered())
        .isEqualTo(OptionalLong.of(offset));
  }

  private Entry<String> register(long offset) {
    return book.register(PARTITION, offset, 0).orElseThrow();
  }

  private PartitionLedger ledger() {
    Optional<PartitionLedger> ledger = book.ledger(PARTITION);
    return ledger.orElseThrow();
  }

  private List<Long> committableOffsets() {
    return book.commitsDue().stream().map(Commit::nextOffset).toList();
  }
}
