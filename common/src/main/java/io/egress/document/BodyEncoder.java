package io.egress.document;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns a body, given as literals and fragments, into the bytes to send. After each call the caller
 * takes pieces until there are none, waiting between them for as long as the receiver needs.
 */
public interface BodyEncoder {
  /** ASCII text that stands in the body as it is. */
  void literal(String ascii);

  void fragment(Fragment fragment);

  /** Ends the body; nothing may follow. */
  void finish();

  /** The next piece to send, or null when everything given so far was taken. */
  @Nullable Buffer next();

  static BodyEncoder gzip() {
    return new GzipEncoder();
  }

  static BodyEncoder identity() {
    return new IdentityEncoder();
  }
}
