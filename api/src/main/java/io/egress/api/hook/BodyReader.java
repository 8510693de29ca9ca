package io.egress.api.hook;

import static java.util.Objects.requireNonNull;

import io.egress.flow.ByteBudget;
import io.egress.http.Refusal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Function;

/**
 * Reads bodies into memory that all of them share: a request is not read on before its bytes have
 * room.
 */
final class BodyReader {
  private final ByteBudget memory;
  private final long bytesMax;

  BodyReader(ByteBudget memory, long bytesMax) {
    this.memory = requireNonNull(memory, "memory is null");
    this.bytesMax = bytesMax;
  }

  /** The room is given back when what {@code use} makes of the body has completed. */
  <T> Future<T> read(HttpServerRequest request, Function<Buffer, Future<T>> use) {
    long announced;
    try {
      announced = announcedBytes(request);
    } catch (NumberFormatException notALength) {
      return Future.failedFuture(new Refusal(400, "content-length is not a number"));
    }
    if (announced < 0) {
      return Future.failedFuture(new Refusal(400, "content-length is negative"));
    }
    if (announced > bytesMax) {
      return Future.failedFuture(tooLarge());
    }
    request.pause();
    return memory
        .take(announced)
        .compose(
            room -> body(request).compose(use).onComplete(done -> room.giveBack()),
            full -> Future.failedFuture(new Refusal(503, "too many bodies at once, try again")));
  }

  private long announcedBytes(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null ? bytesMax : Long.parseLong(length);
  }

  private Future<Buffer> body(HttpServerRequest request) {
    Promise<Buffer> read = Promise.promise();
    Buffer body = Buffer.buffer();
    request.handler(
        part -> {
          if (body.length() + (long) part.length() > bytesMax) {
            read.tryFail(tooLarge());
          } else if (!read.future().isComplete()) {
            body.appendBuffer(part);
          }
        });
    request.exceptionHandler(read::tryFail);
    request.endHandler(end -> read.tryComplete(body));
    request.resume();
    return read.future();
  }

  private Refusal tooLarge() {
    return new Refusal(413, "the body is larger than " + bytesMax + " bytes");
  }
}
