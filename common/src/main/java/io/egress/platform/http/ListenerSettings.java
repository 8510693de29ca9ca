package io.egress.platform.http;

import io.egress.platform.environment.TlsFiles;
import org.jspecify.annotations.Nullable;

/**
 * The address and certificate of a listener. Port 0 selects a free port.
 *
 * @param internal whether only the operator's own systems call it
 */
public record ListenerSettings(String host, int port, @Nullable TlsFiles tls, boolean internal) {
  /** The listener for the public. */
  public ListenerSettings(String host, int port, @Nullable TlsFiles tls) {
    this(host, port, tls, false);
  }

  public static ListenerSettings internal(String host, int port) {
    return new ListenerSettings(host, port, null, true);
  }

  /** The setting of its port. */
  public String portName() {
    return internal ? "EGRESS_INTERNAL_PORT" : "EGRESS_PUBLIC_PORT";
  }

  public ListenerSettings withPort(int other) {
    return new ListenerSettings(host, other, tls, internal);
  }
}
