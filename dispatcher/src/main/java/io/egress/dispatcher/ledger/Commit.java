package io.egress.dispatcher.ledger;

import static java.util.Objects.requireNonNull;

/** All records below {@code nextOffset} that were consumed in this assignment are complete. */
public record Commit<P>(P partition, long epoch, long nextOffset) {
  public Commit {
    requireNonNull(partition, "partition is null");
  }
}
