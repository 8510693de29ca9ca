package io.egress.dispatcher.ledger;

import static java.util.Objects.requireNonNull;

/** Everything below {@code nextOffset} that was consumed in this assignment is complete. */
public record Commit<P>(P partition, long epoch, long nextOffset) {
  public Commit {
    requireNonNull(partition, "partition is null");
  }
}
