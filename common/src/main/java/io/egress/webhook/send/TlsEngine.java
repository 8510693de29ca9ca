package io.egress.webhook.send;

import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.SSLEngineOptions;

/**
 * BoringSSL if the platform supports it, otherwise the JDK's engine, whose handshakes can cost more
 * than all the rest of a delivery.
 */
public final class TlsEngine {
  private TlsEngine() {}

  /** The first call loads a native library, so call it once before any event loop does. */
  public static void load() {
    var _ = OpenSSLEngineOptions.isAvailable();
  }

  static SSLEngineOptions options() {
    return OpenSSLEngineOptions.isAvailable()
        ? new OpenSSLEngineOptions()
        : new JdkSSLEngineOptions();
  }
}
