package io.egress.dispatcher.ledger;

/** A record consumed from {@code partition} during one assignment of it, used to complete it. */
public record LedgerEntry<P>(P partition, long epoch, long offset) {}
