package io.egress.settings;

import org.jspecify.annotations.Nullable;

/** Where a server listens, and with which certificate. Port 0 takes any free one. */
public record ListenerSettings(String host, int port, @Nullable TlsFiles tls) {
  public ListenerSettings(String host, int port) {
    this(host, port, null);
  }

  public ListenerSettings withPort(int other) {
    return new ListenerSettings(host, other, tls);
  }
}
