package io.egress.dispatcher.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ledgers of all partitions that one consumer owns. Each assignment has its own epoch, so that
 * records consumed before a revocation can never advance the partition after it.
 *
 * <p>Owned by one event loop; {@code P} identifies a partition of a topic.
 */
public final class LedgerBook<P> {
  /** All records below {@code nextOffset} that were consumed in this assignment are complete. */
  public record Commit<P>(P partition, long epoch, long nextOffset) {}

  /** A record consumed from {@code partition} during one assignment of it, used to complete it. */
  public record Entry<P>(P partition, long epoch, long offset) {}

  private static final int SPAN_LIMIT = 1 << 24;

  private final int spanMax;
  private final Map<P, PartitionLedger> ledgers = new HashMap<>();
  private long lastEpoch;

  /**
   * @param spanMax the most records of a partition from the oldest incomplete to the newest
   *     consumed one; no further records of that partition are taken
   */
  public LedgerBook(int spanMax) {
    if (spanMax < 1 || spanMax > SPAN_LIMIT) {
      throw new IllegalArgumentException("spanMax is not in 1.." + SPAN_LIMIT + ": " + spanMax);
    }
    this.spanMax = spanMax;
  }

  /**
   * An assignment without a preceding revocation starts over as well: the consumer reads from the
   * committed offset again.
   */
  public void assign(P partition) {
    ledgers.put(partition, new PartitionLedger(++lastEpoch, spanMax));
  }

  /** The offset left to commit. Empty if there is none, or if the partition was not assigned. */
  public Optional<Commit<P>> revoke(P partition) {
    PartitionLedger ledger = ledgers.remove(partition);
    return ledger == null || !ledger.commitDue()
        ? Optional.empty()
        : Optional.of(commit(partition, ledger));
  }

  /**
   * Records of a partition arrive in increasing offsets, gaps allowed. Empty if the record was not
   * taken: the partition is full, and the record has to be read again later, or it is not assigned
   * any more.
   */
  public Optional<Entry<P>> register(P partition, long offset, long nowNanos) {
    PartitionLedger ledger = ledgers.get(partition);
    return ledger == null || !ledger.register(offset, nowNanos)
        ? Optional.empty()
        : Optional.of(new Entry<>(partition, ledger.epoch(), offset));
  }

  /** False, without effect, if the entry was complete before or is of a former assignment. */
  public boolean complete(Entry<P> entry) {
    PartitionLedger ledger = ledgers.get(entry.partition());
    return ledger != null && ledger.epoch() == entry.epoch() && ledger.complete(entry.offset());
  }

  /**
   * The offsets due to be committed: contiguous prefixes that are complete and not reported as
   * committed.
   */
  public List<Commit<P>> commitsDue() {
    List<Commit<P>> due = new ArrayList<>();
    ledgers.forEach((partition, ledger) -> {
      if (ledger.commitDue()) {
        due.add(commit(partition, ledger));
      }
    });
    return due;
  }

  /** The broker has accepted the commit; without effect for a former assignment. */
  public void committed(Commit<P> commit) {
    PartitionLedger ledger = ledgers.get(commit.partition());
    if (ledger != null && ledger.epoch() == commit.epoch()) {
      ledger.committed(commit.nextOffset());
    }
  }

  public Optional<PartitionLedger> ledger(P partition) {
    return Optional.ofNullable(ledgers.get(partition));
  }

  public int outstanding() {
    return ledgers.values().stream().mapToInt(PartitionLedger::outstanding).sum();
  }

  private static <P> Commit<P> commit(P partition, PartitionLedger ledger) {
    return new Commit<>(partition, ledger.epoch(), ledger.committable().orElseThrow());
  }
}
