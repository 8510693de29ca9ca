package io.egress.settings;

import org.jspecify.annotations.Nullable;

/**
 * Where a server listens, and with which certificate. Port 0 takes any free one.
 *
 * @param internal whether its callers are the operator's own
 */
public record ListenerSettings(String host, int port, @Nullable TlsFiles tls, boolean internal) {
  /** For anybody. */
  public ListenerSettings(String host, int port, @Nullable TlsFiles tls) {
    this(host, port, tls, false);
  }

  public static ListenerSettings internal(String host, int port) {
    return new ListenerSettings(host, port, null, true);
  }

  public ListenerSettings withPort(int other) {
    return new ListenerSettings(host, other, tls, internal);
  }
}
