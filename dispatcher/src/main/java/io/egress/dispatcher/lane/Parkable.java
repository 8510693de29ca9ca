package io.egress.dispatcher.lane;

import java.time.Duration;
import java.util.UUID;

/** A record that has left its lane unsent, to be offered again after {@code delay}. */
public record Parkable<R>(UUID endpointId, R record, Duration delay) {}
