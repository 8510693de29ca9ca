package io.egress.dispatcher.lane;

/** A lane as it is now, for whoever wants to show it. */
public record LaneState(int waiting, int inFlight, int limit, boolean stuck) {}
