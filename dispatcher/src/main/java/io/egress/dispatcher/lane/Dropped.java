package io.egress.dispatcher.lane;

import java.util.List;

/**
 * What {@link Lanes#drop} found: the waiting records, which have left their lanes, and the attempts
 * in flight, which hold their slots until they are completed, if need be as {@link
 * Completion#ABORTED}.
 */
public record Dropped<R>(List<R> waiting, List<InFlight<R>> inFlight) {
  public Dropped {
    waiting = List.copyOf(waiting);
    inFlight = List.copyOf(inFlight);
  }
}
