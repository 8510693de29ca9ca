package io.egress.platform.vertx;

import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/**
 * Converts between the buffers of Vert.x and Netty without a copy. Vert.x 5 has no public methods
 * for this: {@code Buffer.getByteBuf} and {@code Buffer.buffer(ByteBuf)} became internal.
 */
public final class ByteBufs {
  private ByteBufs() {}

  /** The same bytes; {@code buffer} keeps its own indices. */
  public static ByteBuf of(Buffer buffer) {
    return ((BufferInternal) buffer).getByteBuf();
  }

  public static Buffer wrap(ByteBuf bytes) {
    return BufferInternal.buffer(bytes);
  }
}
