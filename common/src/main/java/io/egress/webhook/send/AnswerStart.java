package io.egress.webhook.send;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.codec.spi.BodyStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the start of a response body. Somewhat more is read than is kept, because reading a short
 * body to its end is cheaper than a new connection for the next delivery.
 */
final class AnswerStart implements BodyStream<Buffer> {
  private static final int MAX_READ_BYTES = 65_536;

  private final Buffer start = Buffer.buffer();
  private final Promise<Buffer> result = Promise.promise();
  private final int bytesMax;
  private final Runnable whenTooLong;
  private long readBytes;

  /** {@code whenTooLong} is called when the rest of the body is not worth reading. */
  AnswerStart(int bytesMax, Runnable whenTooLong) {
    this.bytesMax = bytesMax;
    this.whenTooLong = whenTooLong;
  }

  Buffer bytes() {
    return start;
  }

  @Override
  public Future<Void> write(Buffer chunk) {
    int room = bytesMax - start.length();
    if (room > 0) {
      start.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
    }
    readBytes += chunk.length();
    if (readBytes > MAX_READ_BYTES) {
      whenTooLong.run();
    }
    return Future.succeededFuture();
  }

  @Override
  public Future<Void> end() {
    result.tryComplete(start);
    return Future.succeededFuture();
  }

  @Override
  public Future<Buffer> result() {
    return result.future();
  }

  @Override
  public void handle(Throwable failure) {
    result.tryFail(failure);
  }

  @Override
  public AnswerStart exceptionHandler(@Nullable Handler<Throwable> handler) {
    return this;
  }

  @Override
  public AnswerStart setWriteQueueMaxSize(int maxSize) {
    return this;
  }

  @Override
  public boolean writeQueueFull() {
    return false;
  }

  @Override
  public AnswerStart drainHandler(@Nullable Handler<Void> handler) {
    return this;
  }
}
