package io.egress.dispatcher.ledger;

import static java.util.Objects.requireNonNull;

/** A record consumed from {@code partition} during one assignment of it, used to complete it. */
public record LedgerEntry<P>(P partition, long epoch, long offset) {
  public LedgerEntry {
    requireNonNull(partition, "partition is null");
  }
}
