package io.egress.webhook.send;

import io.egress.platform.vertx.ByteBufs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reusable direct memory for request bodies. TLS needs a body in direct memory and in one piece;
 * converting an {@link Envelope#buffer} would allocate an array of its size. Owned by one event
 * loop.
 *
 * <p>The memory comes from {@link ByteBuffer#allocateDirect}, so a buffer that is never returned is
 * freed by the garbage collector, and a write that never completes leaks nothing.
 */
final class BodyBuffers {
  private static final int SMALLEST_BITS = 12;
  private static final int LARGEST_BITS = 20;

  /** A body, to be returned when it is written or dropped if writing failed. */
  final class Body {
    private final Buffer buffer;
    private final @Nullable ByteBuf lent;

    private Body(Buffer buffer, @Nullable ByteBuf lent) {
      this.buffer = buffer;
      this.lent = lent;
    }

    Buffer buffer() {
      return buffer;
    }

    /** Nothing reads it any more. */
    void giveBack() {
      if (lent != null) {
        free.get(sizeClass(lent.capacity())).push(lent);
      }
    }

    /** Something may still read it. */
    void drop() {
      if (lent != null) {
        bytesMade -= lent.capacity();
      }
    }
  }

  private final List<Deque<ByteBuf>> free = new ArrayList<>();
  private final long bytesMax;
  private long bytesMade;

  /** {@code bytesMax} limits the memory, in use or free; bodies beyond it stay on the heap. */
  BodyBuffers(long bytesMax) {
    this.bytesMax = bytesMax;
    for (int bits = SMALLEST_BITS; bits <= LARGEST_BITS; bits++) {
      free.add(new ArrayDeque<>());
    }
  }

  Body of(Envelope envelope) {
    ByteBuf memory = lend(envelope.length());
    if (memory == null) {
      return new Body(envelope.buffer(), null);
    }
    memory.clear();
    envelope.writeTo(memory);
    return new Body(ByteBufs.wrap(memory), memory);
  }

  /** A small body, which stays on the heap. */
  Body of(Buffer whole) {
    return new Body(whole, null);
  }

  private @Nullable ByteBuf lend(int length) {
    int sizeClass = sizeClass(length);
    if (sizeClass >= free.size()) {
      return null;
    }
    ByteBuf used = free.get(sizeClass).poll();
    int size = 1 << (SMALLEST_BITS + sizeClass);
    if (used != null || bytesMade + size > bytesMax) {
      return used;
    }
    bytesMade += size;
    return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(size));
  }

  private static int sizeClass(int length) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
    return Math.max(0, bits - SMALLEST_BITS);
  }
}
