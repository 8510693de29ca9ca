package io.egress.transcript.document;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The uncompressed body: fragments are inflated piece by piece on demand. */
final class IdentityEncoder implements BodyEncoder {
  private final Deque<Object> parts = new ArrayDeque<>();
  private @Nullable Inflation inflation;

  @Override
  public void literal(byte[] bytes) {
    parts.add(Buffer.buffer(bytes));
  }

  @Override
  public void fragment(Fragment fragment) {
    parts.add(fragment);
  }

  @Override
  public void finish() {}

  @Override
  public @Nullable Buffer next() {
    while (true) {
      if (inflation != null) {
        Buffer piece = inflation.next();
        if (piece != null) {
          return piece;
        }
        inflation = null;
      }
      Object part = parts.poll();
      if (part == null || part instanceof Buffer) {
        return (Buffer) part;
      }
      inflation = new Inflation((Fragment) part);
    }
  }
}
