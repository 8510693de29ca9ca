package io.egress.transcript.document;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a body, given as literals and fragments, into pieces to send. After each call the caller
 * takes pieces until there are none, at the pace of the receiver.
 */
public interface BodyEncoder {
  /** ASCII text that appears unchanged in the body. */
  default void literal(String ascii) {
    literal(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  /** Bytes that appear unchanged in the body. */
  void literal(byte[] bytes);

  void fragment(Fragment fragment);

  /** Ends the body; nothing may follow. */
  void finish();

  /** The next piece to send, or null if everything given so far was taken. */
  @Nullable Buffer next();

  static BodyEncoder gzip() {
    return new GzipEncoder();
  }

  static BodyEncoder identity() {
    return new IdentityEncoder();
  }
}
