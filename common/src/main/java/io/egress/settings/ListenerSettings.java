package io.egress.settings;

/** Where a server listens. Port 0 takes any free one. */
public record ListenerSettings(String host, int port) {}
