package io.egress.api.hook;

import io.egress.platform.flow.ByteBudget;
import io.egress.platform.http.Refusal;
import io.egress.platform.http.RequestBody;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.function.Function;

/**
 * Reads request bodies within a shared memory limit. A body is read only once memory for all its
 * processing is reserved. For a body of unknown length the reservation grows as it arrives; if it
 * cannot grow, the request is rejected, so no body waits for memory while holding some.
 */
final class BodyReader {
  private static final long UNANNOUNCED_BYTES = 64 * 1024;

  private final ByteBudget memory;
  private final Duration waitMax;
  private final RequestBody.Limits limits;

  BodyReader(ByteBudget memory, Duration waitMax, RequestBody.Limits limits) {
    this.memory = memory;
    this.waitMax = waitMax;
    this.limits = limits;
  }

  /**
   * Releases the memory when the future returned by {@code use} completes: a body that is part of a
   * running database call holds memory, whether or not its request is over.
   */
  <T> Future<T> read(RoutingContext ctx, Function<Buffer, Future<T>> use) {
    RequestBody body = new RequestBody(ctx, limits);
    long announced;
    try {
      announced = body.announced();
    } catch (Refusal refused) {
      return Future.failedFuture(refused);
    }
    long expected = announced < 0 ? UNANNOUNCED_BYTES : announced;
    ByteBudget.Place place = memory.ask(ctx, Hook.cost(expected), waitMax);
    body.future().onFailure(_ -> place.leave());
    return place
        .share()
        .recover(none -> body.failedOr(none))
        .compose(room ->
            body.read(length -> length <= expected || room.resize(Hook.cost(length)))
                .compose(use)
                .onComplete(_ -> room.giveBack()));
  }
}
