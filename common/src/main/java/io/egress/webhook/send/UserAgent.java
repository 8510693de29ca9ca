package io.egress.webhook.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The user agent of webhooks. */
final class UserAgent {
  static final String VALUE = "Transcript-Egress/" + version();

  private UserAgent() {}

  /** A filtered resource, which unlike a jar's manifest survives repackaging. */
  private static String version() {
    try (InputStream in = UserAgent.class.getResourceAsStream("version")) {
      if (in == null) {
        throw new IllegalStateException("the resource with the version is missing");
      }
      return new String(in.readAllBytes(), UTF_8).strip();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
