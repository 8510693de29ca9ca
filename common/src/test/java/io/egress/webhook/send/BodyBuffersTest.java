package io.egress.webhook.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.vertx.core.internal.buffer.BufferInternal;
import org.junit.jupiter.api.Test;

class BodyBuffersTest {
  private static final int SMALL = 4 << 10;
  private static final int BEYOND_THE_LARGEST = 1 << 20;

  private final BodyBuffers buffers = new BodyBuffers(SMALL * 2);

  @Test
  void bodiesAreContiguousAndOffHeap() {
    Envelope envelope = SenderHarness.envelope("x".repeat(3_000));

    BodyBuffers.Body body = buffers.of(envelope);

    assertThat(body.buffer()).isEqualTo(envelope.buffer());
    assertThat(bytes(body).isDirect()).isTrue();
    assertThat(bytes(body).nioBufferCount()).isOne();
  }

  @Test
  void releasedMemoryIsReused() {
    BodyBuffers.Body first = buffers.of(SenderHarness.envelope("x".repeat(3_000)));
    long address = bytes(first).memoryAddress();
    first.giveBack();
    Envelope shorter = SenderHarness.envelope("y".repeat(20));

    BodyBuffers.Body second = buffers.of(shorter);

    assertThat(bytes(second).memoryAddress()).isEqualTo(address);
    assertThat(second.buffer()).isEqualTo(shorter.buffer());
  }

  @Test
  void memoryOfAnAbandonedBodyIsNotReused() {
    Envelope envelope = SenderHarness.envelope("x");
    BodyBuffers.Body first = buffers.of(envelope);
    first.drop();

    BodyBuffers.Body second = buffers.of(SenderHarness.envelope("y"));

    assertThat(bytes(second).memoryAddress()).isNotEqualTo(bytes(first).memoryAddress());
    assertThat(first.buffer()).isEqualTo(envelope.buffer());
  }

  @Test
  void bodiesBeyondTheBoundStayOnTheHeap() {
    Envelope envelope = SenderHarness.envelope("x");
    BodyBuffers.Body first = buffers.of(envelope);
    BodyBuffers.Body second = buffers.of(envelope);

    BodyBuffers.Body third = buffers.of(envelope);

    assertThat(bytes(second).isDirect()).isTrue();
    assertThat(bytes(third).isDirect()).isFalse();
    assertThat(third.buffer()).isEqualTo(envelope.buffer());
    third.giveBack();
    first.drop();
    assertThat(bytes(buffers.of(envelope)).isDirect()).isTrue();
    assertThat(bytes(buffers.of(envelope)).isDirect()).isFalse();
  }

  @Test
  void largeBodiesStayOnTheHeap() {
    BodyBuffers ample = new BodyBuffers(Long.MAX_VALUE);
    Envelope envelope = SenderHarness.envelope("x".repeat(BEYOND_THE_LARGEST));

    BodyBuffers.Body body = ample.of(envelope);

    assertThat(bytes(body).isDirect()).isFalse();
    assertThat(body.buffer()).isEqualTo(envelope.buffer());
  }

  private static ByteBuf bytes(BodyBuffers.Body body) {
    return ((BufferInternal) body.buffer()).getByteBuf();
  }
}
