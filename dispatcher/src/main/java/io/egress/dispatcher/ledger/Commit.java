package io.egress.dispatcher.ledger;

/** All records below {@code nextOffset} that were consumed in this assignment are complete. */
public record Commit<P>(P partition, long epoch, long nextOffset) {}
