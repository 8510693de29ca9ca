package io.egress.dispatcher.ledger;

/** A record that was consumed at {@code sinceNanos} and is not complete. */
public record Outstanding(long offset, long sinceNanos) {}
