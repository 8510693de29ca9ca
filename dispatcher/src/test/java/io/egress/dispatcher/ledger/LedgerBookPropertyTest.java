package io.egress.dispatcher.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.egress.dispatcher.ledger.LedgerBook.Commit;
import io.egress.dispatcher.ledger.LedgerBook.Entry;
import io.egress.dispatcher.ledger.PartitionLedger.Outstanding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random histories, compared after every step with sorted maps that keep everything. */
class LedgerBookPropertyTest {
  private static final int FEW_SEEDS = 500;
  private static final int SEEDS = 4_000;
  private static final int STEPS = 300;
  private static final int PARTITIONS_MAX = 3;

  @Test
  void neverCommitsPastAnIncompleteRecordAndAlwaysAllThatIsContiguous() {
    check(0, FEW_SEEDS);
  }

  @Test
  @Tag("full")
  void holdsForManyMoreHistories() {
    check(FEW_SEEDS, SEEDS);
  }

  private static void check(long from, long until) {
    for (long seed = from; seed < until; seed++) {
      History history = new History(seed);
      for (int step = 0; step < STEPS; step++) {
        try {
          history.step();
          history.check();
        } catch (AssertionError | RuntimeException failure) {
          throw new AssertionError(
              "seed " + seed + ", step " + step + ": " + history.lastStep, failure);
        }
      }
    }
  }

  /** One assignment as the plain reference sees it. */
  private static final class Model {
    final TreeMap<Long, Long> allSinceNanos = new TreeMap<>();
    final TreeMap<Long, Long> incompleteSinceNanos = new TreeMap<>();
    long committed = -1;

    Optional<Outstanding> oldest() {
      return Optional.ofNullable(incompleteSinceNanos.firstEntry())
          .map(entry -> new Outstanding(entry.getKey(), entry.getValue()));
    }

    OptionalLong committable() {
      return lastKey(
          oldest().map(record -> allSinceNanos.headMap(record.offset())).orElse(allSinceNanos), 1);
    }

    OptionalLong highest() {
      return lastKey(allSinceNanos, 0);
    }

    int span() {
      return oldest().map(record -> allSinceNanos.tailMap(record.offset()).size()).orElse(0);
    }

    private static OptionalLong lastKey(SortedMap<Long, Long> records, long plus) {
      return records.isEmpty() ? OptionalLong.empty() : OptionalLong.of(records.lastKey() + plus);
    }
  }

  private static final class History {
    private final Random random;
    private final int partitions;
    private final int registersPerHundred;
    private final int spanMax;
    private final int gapMax;
    private final LedgerBook<Integer> book;
    private final Map<Integer, Model> assigned = new HashMap<>();
    private final Map<Integer, Long> nextOffsets = new HashMap<>();
    private final List<Entry<Integer>> entries = new ArrayList<>();
    private final List<Commit<Integer>> commitsUnderWay = new ArrayList<>();
    private long nowNanos;
    private String lastStep = "none";

    History(long seed) {
      random = new Random(seed);
      partitions = 1 + random.nextInt(PARTITIONS_MAX);
      registersPerHundred = 30 + random.nextInt(50);
      spanMax = 1 + random.nextInt(random.nextBoolean() ? 8 : 400);
      gapMax = random.nextInt(3) * random.nextInt(1_000_000);
      book = new LedgerBook<>(spanMax);
      for (int partition = 0; partition < partitions; partition++) {
        nextOffsets.put(
            partition, random.nextBoolean() ? 0 : (1L << (31 + random.nextInt(20))) - 5);
      }
    }

    void step() {
      nowNanos += random.nextInt(1_000);
      int partition = random.nextInt(partitions);
      int choice = random.nextInt(100);
      if (choice < 2) {
        assign(partition);
      } else if (choice < 3) {
        revoke(partition);
      } else if (choice < 6 + registersPerHundred) {
        register(partition);
      } else if (choice < 90) {
        complete();
      } else if (choice < 95) {
        commitsUnderWay.addAll(book.commitsDue());
      } else {
        reportCommit();
      }
    }

    private void assign(int partition) {
      if (!assigned.containsKey(partition) || random.nextInt(10) == 0) {
        lastStep = "assign " + partition;
        rewind(partition, assigned.get(partition));
        book.assign(partition);
        assigned.put(partition, new Model());
      }
    }

    private void revoke(int partition) {
      lastStep = "revoke " + partition;
      Optional<Commit<Integer>> left = book.revoke(partition);
      Model model = assigned.remove(partition);
      if (model == null) {
        assertThat(left).isEmpty();
        return;
      }
      OptionalLong committable = model.committable();
      if (committable.isPresent() && committable.getAsLong() > model.committed) {
        assertThat(left.map(Commit::nextOffset)).contains(committable.getAsLong());
      } else {
        assertThat(left).isEmpty();
      }
      rewind(partition, model);
    }

    /** The next assignment reads again what this one has not committed. */
    private void rewind(int partition, @Nullable Model model) {
      if (model != null) {
        model.oldest().ifPresent(record -> nextOffsets.put(partition, record.offset()));
      }
    }

    private void register(int partition) {
      boolean gap = gapMax > 0 && random.nextInt(4) == 0;
      long offset = nextOffsets.getOrDefault(partition, 0L) + (gap ? random.nextInt(gapMax) : 0);
      lastStep = "register " + partition + "@" + offset;
      Model model = assigned.get(partition);
      Optional<Entry<Integer>> entry = book.register(partition, offset, nowNanos);
      assertThat(entry.isPresent()).isEqualTo(model != null && model.span() < spanMax);
      if (entry.isPresent() && model != null) {
        model.allSinceNanos.put(offset, nowNanos);
        model.incompleteSinceNanos.put(offset, nowNanos);
        nextOffsets.put(partition, offset + 1);
        entries.add(entry.get());
      }
    }

    /** Any entry ever handed out: complete already, or of a former assignment, just as well. */
    private void complete() {
      if (entries.isEmpty()) {
        return;
      }
      int recent = Math.min(entries.size(), 1 + random.nextInt(2 * spanMax));
      Entry<Integer> entry = entries.get(entries.size() - 1 - random.nextInt(recent));
      lastStep = "complete " + entry;
      Model model = assigned.get(entry.partition());
      boolean counts =
          model != null
              && book.ledger(entry.partition()).orElseThrow().epoch() == entry.epoch()
              && model.incompleteSinceNanos.containsKey(entry.offset());
      assertThat(book.complete(entry)).isEqualTo(counts);
      if (counts && model != null) {
        model.incompleteSinceNanos.remove(entry.offset());
      }
    }

    private void reportCommit() {
      if (commitsUnderWay.isEmpty()) {
        return;
      }
      Commit<Integer> commit = commitsUnderWay.remove(random.nextInt(commitsUnderWay.size()));
      lastStep = "report " + commit;
      book.committed(commit);
      Model model = assigned.get(commit.partition());
      if (model != null
          && book.ledger(commit.partition()).orElseThrow().epoch() == commit.epoch()) {
        model.committed = Math.max(model.committed, commit.nextOffset());
      }
    }

    void check() {
      Map<Integer, Long> due = new HashMap<>();
      book.commitsDue().forEach(commit -> due.put(commit.partition(), commit.nextOffset()));
      for (int partition = 0; partition < partitions; partition++) {
        Model model = assigned.get(partition);
        if (model == null) {
          assertThat(book.ledger(partition)).isEmpty();
          assertThat(due).doesNotContainKey(partition);
        } else {
          check(model, book.ledger(partition).orElseThrow(), due.get(partition));
        }
      }
    }

    private void check(Model model, PartitionLedger ledger, @Nullable Long due) {
      OptionalLong committable = model.committable();
      assertThat(ledger.committable()).isEqualTo(committable);
      boolean isDue = committable.isPresent() && committable.getAsLong() > model.committed;
      assertThat(due).isEqualTo(isDue ? (Long) committable.getAsLong() : null);
      assertThat(ledger.outstanding()).isEqualTo(model.incompleteSinceNanos.size());
      assertThat(ledger.room()).isEqualTo(spanMax - model.span());
      assertThat(ledger.oldestOutstanding()).isEqualTo(model.oldest());
      assertThat(ledger.highestRegistered()).isEqualTo(model.highest());
    }
  }
}
