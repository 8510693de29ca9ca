package io.egress.dispatcher.lane;

/** A snapshot of a lane. */
public record LaneState(int waiting, int inFlight, int limit, boolean stuck) {}
