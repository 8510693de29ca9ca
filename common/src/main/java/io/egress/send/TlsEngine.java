package io.egress.send;

import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.SSLEngineOptions;

/**
 * BoringSSL where it runs, else the JDK's: handshakes of the latter can cost more than all the rest
 * of a delivery.
 */
public final class TlsEngine {
  private TlsEngine() {}

  /** Loads a native library the first time, so once before any event loop needs it. */
  public static void load() {
    var unused = OpenSSLEngineOptions.isAvailable();
  }

  static SSLEngineOptions options() {
    return OpenSSLEngineOptions.isAvailable()
        ? new OpenSSLEngineOptions()
        : new JdkSSLEngineOptions();
  }
}
